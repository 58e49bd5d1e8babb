/** The path of a result as a small picture: from a seed, over edges and what they share, to the page. */

import { Fragment } from "preact";
import { type Naming, pageOf } from "../shared/links";
import { listed, type Step } from "./types";

interface Place {
  naming: Naming;
  /** Names by IRI. */
  labels: Record<string, string>;
  /** Rank of the chunks of the answer by IRI. */
  ranks: ReadonlyMap<string, number>;
}

export function PathPicture({ path, naming, labels, ranks }: Place & { path: readonly Step[] }) {
  return (
    <div class="path" role="group" aria-label="Path to this result">
      {path.map((step, number) => (
        <Fragment key={number}>
          {path[number - 1]?.chunk === step.seed ? null : (
            <>
              {number > 0 && <span class="turn" aria-hidden="true" />}
              <ChunkNode iri={step.seed} {...{ naming, labels, ranks }} />
            </>
          )}
          <StepEdges step={step} {...{ naming, labels, ranks }} />
          <ChunkNode iri={step.chunk} {...{ naming, labels, ranks }} last={number === path.length - 1} />
        </Fragment>
      ))}
    </div>
  );
}

function StepEdges({ step, naming, labels }: Place & { step: Step }) {
  const edges = listed(step.edge);
  const told = `${inWords(step.kind)}${step.row === undefined ? "" : `, row ${step.row + 1}`}`;
  const inside = (
    <>
      <span class="unseen">over {step.channel}: </span>
      {told} <span class="number">{step.weight.toFixed(2)}</span>
    </>
  );
  return (
    <>
      <span class={`edge of-${step.channel}`}>
        {edges[0] === undefined ? (
          <span class="said">{inside}</span>
        ) : (
          <a class="said" href={pageOf(edges[0], naming)} title={`The edge, of the channel ${step.channel}`}>
            {inside}
          </a>
        )}
      </span>
      {listed(step.entity).map((via, number) => (
        <Fragment key={via}>
          <a class="node via" href={pageOf(via, naming)} title="What both share">
            {labels[via] ?? via}
          </a>
          <span class={`edge short of-${step.channel}`}>
            {edges[number + 1] !== undefined && (
              <a class="said" href={pageOf(edges[number + 1] as string, naming)} title="The edge">
                edge
              </a>
            )}
          </span>
        </Fragment>
      ))}
    </>
  );
}

/** A kind of edge for people: its class, or a statement's property, with ^ where it is followed backward. */
function inWords(kind: string): string {
  if (/^[A-Z]/.test(kind)) return kind;
  const words = kind.replace(/^\^/, "").replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
  return kind.startsWith("^") ? `is ${words.toLowerCase()} of` : words;
}

function ChunkNode({ iri, naming, labels, ranks, last = false }: Place & { iri: string; last?: boolean }) {
  const rank = ranks.get(iri);
  const name = labels[iri] ?? iri;
  const inAnswer = rank !== undefined && !last;
  return (
    <a
      class={last ? "node this" : "node"}
      href={inAnswer ? `#result-${rank}` : pageOf(iri, naming)}
      title={inAnswer ? `Result ${rank} of this answer` : "The page of this chunk"}
    >
      {rank !== undefined && <span class="rank">{rank}</span>}
      {name}
    </a>
  );
}
