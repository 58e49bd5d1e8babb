/** An answer in sentences, each with numbers that lead to the passages that say so. */

import type { Answered, AskData, Chunk, Sentence } from "./asking";
import { placeOf } from "./asking";

interface Cited {
  number: number;
  chunk: Chunk;
  quotes: string[];
}

export function Sentences({ sentences, answered, data }: { sentences: Sentence[]; answered: Answered | null; data: AskData }) {
  const cited = citations(sentences);
  return (
    <>
      {answered !== null && !answered.isInGraph && <p class="warn">The graph does not answer this question.</p>}
      {answered?.comment !== undefined && <p class="quiet">{answered.comment}</p>}
      <p class="said">
        {sentences.map((sentence, at) => (
          <span key={at}>
            {sentence.text}
            <sup>
              {numbers(sentence, cited).map((number) => (
                <a key={number} href={`#citation-${number}`} aria-label={`Citation ${number}`}>
                  [{number}]
                </a>
              ))}
            </sup>{" "}
          </span>
        ))}
      </p>
      {cited.length > 0 && (
        <ol class="citations" aria-label="Citations">
          {cited.map(({ number, chunk, quotes }) => (
            <li key={number} id={`citation-${number}`}>
              <a href={placeOf(chunk.id, quotes[0] ?? "", data)}>{chunk.name}</a>{" "}
              <span class="quiet">
                {documentOf(chunk)}
                {chunk.place === undefined ? "" : `, ${chunk.place}`}
              </span>
              {quotes.map((quote) => (
                <blockquote key={quote}>{quote}</blockquote>
              ))}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function documentOf(chunk: Chunk): string {
  const found = chunk.isPartOf.find((each) => each.type.includes("Document"));
  if (found === undefined) return "";
  return "identifier" in found ? found.identifier : (found.name ?? "");
}

/** The passages in the order in which sentences cite them, each once. */
function citations(sentences: readonly Sentence[]): Cited[] {
  const found = new Map<string, Cited>();
  for (const { citation } of sentences) {
    for (const { text, isPartOf } of citation) {
      const chunk = isPartOf[0];
      if (chunk === undefined) continue;
      const cited = found.get(chunk.id) ?? { number: found.size + 1, chunk, quotes: [] };
      if (!cited.quotes.includes(text)) cited.quotes.push(text);
      found.set(chunk.id, cited);
    }
  }
  return [...found.values()];
}

function numbers(sentence: Sentence, cited: readonly Cited[]): number[] {
  const chunks = new Set(sentence.citation.map((each) => each.isPartOf[0]?.id));
  return cited.filter((each) => chunks.has(each.chunk.id)).map((each) => each.number);
}
