/** Rows of an answer as a table that sorts, in pages. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Answer, Row } from "./answers";
import { compare, hrefOf, kindOf, numberOf, type PageData, plain, short, type Term } from "./terms";

const PAGE = 100;
const LONGEST = 400;

interface Order {
  column: string;
  down: boolean;
}

interface TableOptions {
  answer: Answer;
  data: PageData;
  /** The row that is marked, and brought into view. */
  marked?: Row | null;
}

export function ResultTable({ answer, data, marked = null }: TableOptions) {
  const region = useRef<HTMLDivElement>(null);
  const [order, setOrder] = useState<Order | null>(null);
  const [page, setPage] = useState(0);
  const rows = useMemo(() => {
    if (order === null) return answer.rows;
    const sign = order.down ? -1 : 1;
    return [...answer.rows].sort((a, b) => sign * compare(a[order.column], b[order.column], data));
  }, [answer, order, data]);
  useEffect(() => {
    if (marked !== null && rows.includes(marked)) setPage(Math.floor(rows.indexOf(marked) / PAGE));
  }, [marked]);
  useEffect(() => {
    const [around, row] = [region.current, region.current?.querySelector("[aria-current]")];
    if (around && row) around.scrollTop += row.getBoundingClientRect().top - around.getBoundingClientRect().top - around.clientHeight / 2;
  }, [marked, page]);
  const sortBy = (column: string) => {
    setOrder((now) => (now?.column !== column ? { column, down: false } : now.down ? null : { column, down: true }));
    setPage(0);
  };
  const shown = rows.slice(page * PAGE, (page + 1) * PAGE);
  return (
    <>
      <div ref={region} class="scroll result-table" tabIndex={0} role="region" aria-label="Rows">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                <span class="unseen">Row</span>
              </th>
              {answer.columns.map((column) => (
                <th scope="col" key={column} aria-sort={sorted(order, column)}>
                  <button type="button" class="bare" onClick={() => sortBy(column)}>
                    {column}
                    <span aria-hidden="true">{order?.column === column ? (order.down ? " ▾" : " ▴") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, number) => (
              <tr key={number} aria-current={row === marked || undefined}>
                <td class="number quiet">{page * PAGE + number + 1}</td>
                {answer.columns.map((column) => (
                  <td key={column} class={numberOf(row[column]) === null ? "" : "number"}>
                    {row[column] === undefined ? "" : <Value term={row[column]} data={data} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > PAGE && <Pages page={page} count={rows.length} go={setPage} />}
    </>
  );
}

function sorted(order: Order | null, column: string): "ascending" | "descending" | "none" {
  if (order?.column !== column) return "none";
  return order.down ? "descending" : "ascending";
}

function Pages({ page, count, go }: { page: number; count: number; go: (page: number) => void }) {
  const last = Math.ceil(count / PAGE) - 1;
  return (
    <nav class="row" aria-label="Pages of rows">
      <button type="button" class="small" disabled={page === 0} onClick={() => go(page - 1)}>
        Previous
      </button>
      <span class="quiet number" role="status">
        Rows {(page * PAGE + 1).toLocaleString("en")} to {Math.min(count, (page + 1) * PAGE).toLocaleString("en")} of{" "}
        {count.toLocaleString("en")}
      </span>
      <button type="button" class="small" disabled={page === last} onClick={() => go(page + 1)}>
        Next
      </button>
    </nav>
  );
}

/** A term: an IRI as a link, a literal with its language or datatype. */
function Value({ term, data }: { term: Term; data: PageData }) {
  if (term.type === "uri") {
    return (
      <a href={hrefOf(term.value, data)} title={term.value} rel="noreferrer">
        {short(term.value, data)}
      </a>
    );
  }
  if (term.type === "triple") {
    const { subject, predicate, object } = term.value;
    return (
      <span>
        {"<<( "}
        <Value term={subject} data={data} /> <Value term={predicate} data={data} /> <Value term={object} data={data} />
        {" )>>"}
      </span>
    );
  }
  const text = plain(term, data);
  const kind = kindOf(term, data);
  const cut = text.length > LONGEST;
  return (
    <>
      {cut ? (
        <details>
          <summary>{text.slice(0, LONGEST)}…</summary>
          {text.slice(LONGEST)}
        </details>
      ) : (
        <span class="literal">{text}</span>
      )}
      {kind !== "" && <span class="kind"> {kind}</span>}
    </>
  );
}
