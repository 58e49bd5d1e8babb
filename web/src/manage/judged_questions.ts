/** Questions with the documents that ought to be found, read from the files of a data set in BEIR's layout. */

export interface JudgedQuestion {
  q: string;
  relevant: Record<string, number>;
}

/** The modes that are compared. */
export const COMPARED_MODES = ["sage", "hybrid", "dense", "bm25"] as const;

/**
 * The judged questions of some files, told apart by their content: lines of JSON are questions, others are
 * judgements, set apart by tabs. Throws an error that names what is missing.
 */
export function questionsOf(texts: readonly string[]): JudgedQuestion[] {
  const questions = new Map<string, JudgedQuestion>();
  const judgements: string[][] = [];
  for (const line of texts.flatMap((text) => text.split(/\r?\n/)).filter((each) => each.trim() !== "")) {
    if (line.startsWith("{")) {
      const { _id, text } = JSON.parse(line) as { _id: string; text: string };
      questions.set(String(_id), { q: text, relevant: Object.create(null) as Record<string, number> }); // of any name
    } else {
      judgements.push(line.split("\t"));
    }
  }
  if (questions.size === 0) throw new Error("no questions: choose queries.jsonl, too");
  if (judgements.length === 0) throw new Error("no judgements: choose qrels.tsv, too");
  for (const [question = "", document = "", score] of judgements) {
    const found = questions.get(question);
    const grade = Number(score);
    if (found !== undefined && document !== "" && Number.isInteger(grade) && grade > 0) found.relevant[document] = grade;
  }
  return [...questions.values()].filter((each) => Object.keys(each.relevant).length > 0);
}
