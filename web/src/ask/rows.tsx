/** An answer by a query: the rows, the query, how sure it is, and what the words were taken for. */

import { hrefOf, short } from "../sparql/terms";
import { editorOf } from "../shared/links";
import type { AskData, Queried } from "./asking";

export function Rows({ found, data }: { found: Queried; data: AskData }) {
  const sources = found.sources.filter((each) => each.document !== undefined);
  return (
    <>
      <p>
        <label>
          {found.sure ? "Sure" : "Not sure"}{" "}
          <meter class="sure" min="0" max="1" value={found.confidence}>
            {found.confidence}
          </meter>
        </label>{" "}
        <span class="quiet">
          {Math.round(found.confidence * 100)} %, by {found.way}
        </span>
      </p>
      {found.columns.length > 0 && <Table found={found} data={data} />}
      {!found.complete && <p class="quiet">There are more rows.</p>}
      {found.query === null && <p>No query fits this question. What a search finds:</p>}
      {found.fallback !== undefined && (
        <ol class="citations">
          {found.fallback.map((each) => (
            <li key={each.chunk}>
              <a href={hrefOf(each.chunk, data)}>{each.name}</a> <blockquote>{each.text.slice(0, 300)}</blockquote>
            </li>
          ))}
        </ol>
      )}
      {sources.length > 0 && (
        <p>
          From{" "}
          {sources.slice(0, 10).map((each, at) => (
            <span key={at}>
              {at > 0 && ", "}
              <a href={hrefOf(each.document ?? "", data)}>{each.identifier ?? each.document}</a>
            </span>
          ))}
        </p>
      )}
      {found.bindings.length > 0 && (
        <dl class="facts" aria-label="The meaning taken for each word">
          {found.bindings.map((each, at) => (
            <div key={at}>
              <dt>{each.words}</dt>
              <dd>
                {each.kind} <code>{short(each.name, data)}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {found.unused.length > 0 && <p class="quiet">Words without a meaning here: {found.unused.join(", ")}.</p>}
      {found.missing.map((each) => (
        <p class="quiet" key={each.words}>
          The graph does not have “{each.words}”{each.nearest.length > 0 && `; nearest: ${each.nearest.join(", ")}`}.
        </p>
      ))}
      {found.query !== null && (
        <details open>
          <summary>Query in {found.language === "sql" ? "SQL" : "SPARQL"}</summary>
          <pre>{found.query}</pre>
          {found.language === "sparql" && <a href={editorOf(found.query)}>Open it in the editor</a>}
        </details>
      )}
      {found.attempts.length > 0 && (
        <details>
          <summary>Queries that were tried ({found.attempts.length})</summary>
          {found.attempts.map((each, at) => (
            <div key={at}>
              <pre>{each.query}</pre>
              <p class="quiet">{each.error}</p>
            </div>
          ))}
        </details>
      )}
    </>
  );
}

function Table({ found, data }: { found: Queried; data: AskData }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Rows">
      <table>
        <thead>
          <tr>
            {found.columns.map((each) => (
              <th scope="col" key={each}>
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  {typeof cell === "object" && cell !== null ? (
                    <a href={hrefOf(cell.id, data)}>{short(cell.id, data)}</a>
                  ) : (
                    String(cell ?? "")
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
