/** Stating how documents, passages and entities belong together. */

import { useState } from "preact/hooks";
import type * as api from "../api";
import { Alert } from "../shared/alert";
import { send } from "../shared/http";
import { useNames } from "../shared/names";
import { address } from "../shared/page";
import { useLoaded, useWork } from "../shared/use_request";

export function Relations() {
  const edges = useLoaded<api.CuratedEdges>(address("/v1/edges", { limit: 100 }));
  const types = useLoaded<api.RelationTypes>(address("/v1/relation-types"));
  const work = useWork();
  const [weight, setWeight] = useState(1);
  const nameOf = useNames((edges.value?.edges ?? []).flatMap((each) => [each.source, each.target]));
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const said = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
    work.run(async () => {
      await send(address("/v1/edges"), { body: { ...said, weight } });
      form.reset();
      edges.reload();
    });
  };
  const remove = (edge: api.CuratedEdge) =>
    work.run(async () => {
      await send(address(`/v1/edges/${encodeURIComponent(edge.identifier)}`), { method: "DELETE" });
      edges.reload();
    });
  return (
    <>
      <form class="fields" onSubmit={add}>
        <label for="source">From</label>
        <input id="source" name="source" required placeholder="identifier of a document, or an IRI" />
        <label for="relation">Relation</label>
        <input id="relation" name="relation" required list="relation-types" placeholder="related_to" />
        <datalist id="relation-types">
          {types.value?.relationTypes.map((each) => <option key={each.id} value={each.name ?? each.id} />)}
        </datalist>
        <label for="target">To</label>
        <input id="target" name="target" required placeholder="identifier of a document, or an IRI" />
        <label for="weight">Weight: {weight.toFixed(2)}</label>
        <input
          id="weight"
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={weight}
          onInput={(event) => setWeight(Number(event.currentTarget.value))}
        />
        <label for="comment">Comment</label>
        <input id="comment" name="comment" />
        <span />
        <p>
          <button class="main" disabled={work.busy}>
            Relate
          </button>
        </p>
      </form>
      {work.error !== null && <Alert error={work.error} />}
      {edges.error !== null && <Alert error={edges.error} />}
      {edges.value && (
        <>
          <p class="quiet" role="status">
            {edges.value.numberOfItems} relations are stated.
          </p>
          <ul class="plain rows">
            {edges.value.edges.map((each) => (
              <li key={each.id}>
                <button class="small" disabled={work.busy} onClick={() => remove(each)}>
                  Remove
                </button>{" "}
                <a href={address("/describe", { iri: each.source })}>{nameOf(each.source)}</a>{" "}
                <strong>{each.relation}</strong>{" "}
                <a href={address("/describe", { iri: each.target })}>{nameOf(each.target)}</a>{" "}
                <span class="quiet">
                  {each.weight.toFixed(2)} {each.comment}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
