/** What people asked: frequent and poor questions, popular passages, latency, where retrievals are kept. */

import { useState } from "preact/hooks";
import type * as api from "../api";
import { Alert } from "../shared/alert";
import { Problem } from "../shared/http";
import { useNames } from "../shared/names";
import { address } from "../shared/page";
import { useLoaded } from "../shared/use_request";

export function Analytics() {
  const [days, setDays] = useState(30);
  const { value, error } = useLoaded<api.Analytics>(address("/v1/analytics", { days }));
  const nameOf = useNames((value?.popularChunks ?? []).map((each) => each.chunk));
  return (
    <>
      <p>
        <label for="days">Over the last days</label>{" "}
        <input
          id="days"
          type="number"
          min={1}
          max={3650}
          value={days}
          onChange={(event) => setDays(Number(event.currentTarget.value) || 30)}
        />
      </p>
      {error instanceof Problem && error.status === 404 ? <p>{error.message}</p> : null}
      {error !== null && !(error instanceof Problem && error.status === 404) && <Alert error={error} />}
      {value && (
        <>
          <dl class="figures">
            <div>
              <dt>Retrievals</dt>
              <dd>{value.retrievals}</dd>
            </div>
            <div>
              <dt>Judged helpful</dt>
              <dd>
                {value.helped} of {value.judgements}
              </dd>
            </div>
            {Object.entries(value.latency).map(([name, seconds]) => (
              <div key={name}>
                <dt>Latency {name}</dt>
                <dd>{(seconds * 1000).toFixed(0)} ms</dd>
              </div>
            ))}
          </dl>
          <Questions title="Frequent questions" rows={value.frequentQuestions} />
          <Questions title="Questions with poor results" rows={value.poorQuestions} />
          <h3>Popular passages</h3>
          <ol>
            {value.popularChunks.map((each) => (
              <li key={each.chunk}>
                <a href={address("/describe", { iri: each.chunk })}>{nameOf(each.chunk)}</a>{" "}
                <span class="quiet">{times(each.count)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}

function Questions({ title, rows }: { title: string; rows: api.QuestionFigures[] }) {
  return (
    <>
      <h3>{title}</h3>
      {rows.length === 0 && <p class="quiet">None.</p>}
      <ol>
        {rows.map((each) => (
          <li key={each.question}>
            <a href={address("/", { q: each.question })}>{each.question}</a>{" "}
            <span class="quiet">
              {times(each.count)}
              {each.meanBestScore === undefined ? "" : `, best score ${each.meanBestScore.toFixed(2)}`}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
