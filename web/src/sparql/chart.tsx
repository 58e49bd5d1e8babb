/** Rows of an answer as bars, a line or points. */

import { useState } from "preact/hooks";
import { cut } from "../shared/text";
import type { Answer, Row } from "./answers";
import { Choice } from "./choice";
import { isDate, numberOf, type PageData, plain } from "./terms";

type Kind = "bars" | "line" | "points";

const MOST_BARS = 60;
const MOST_POINTS = 5000;
const WIDTH = 860;
const HEIGHT = 420;
const LEFT = 70;
const BOTTOM = 40;

export function ResultChart({ answer, data }: { answer: Answer; data: PageData }) {
  const numeric = answer.columns.filter((column) => holdsNumbers(answer.rows, column));
  const others = answer.columns.filter((column) => !numeric.includes(column));
  const [kind, setKind] = useState<Kind>(others.length > 0 || numeric.length < 2 ? "bars" : "points");
  const [x, setX] = useState(others[0] ?? numeric[0] ?? "");
  const [y, setY] = useState(numeric.find((column) => column !== (others[0] ?? numeric[0])) ?? numeric[0] ?? "");
  if (numeric.length === 0) {
    return <p>A chart needs a column of numbers or dates, and these rows have none.</p>;
  }
  const across = kind === "bars" ? answer.columns : numeric;
  const horizontal = across.includes(x) ? x : (across[0] ?? "");
  return (
    <>
      <div class="row">
        <Choice label="Chart" value={kind} options={["bars", "line", "points"]} set={(value) => setKind(value as Kind)} />
        <Choice label={kind === "bars" ? "Names" : "Across"} value={horizontal} options={across} set={setX} />
        <Choice label="Numbers" value={y} options={numeric} set={setY} />
      </div>
      {kind === "bars" ? (
        <Bars rows={answer.rows} x={horizontal} y={y} data={data} />
      ) : (
        <Points rows={answer.rows} x={horizontal} y={y} joined={kind === "line"} data={data} />
      )}
    </>
  );
}

function holdsNumbers(rows: Row[], column: string): boolean {
  const bound = rows.slice(0, 1000).filter((row) => row[column] !== undefined);
  return bound.length > 0 && bound.every((row) => numberOf(row[column]) !== null);
}

interface Plot {
  rows: Row[];
  x: string;
  y: string;
  data: PageData;
}

function Bars({ rows, x, y, data }: Plot) {
  const shown = rows.filter((row) => numberOf(row[y]) !== null).slice(0, MOST_BARS);
  const values = shown.map((row) => numberOf(row[y]) ?? 0);
  const most = Math.max(0, ...values);
  const least = Math.min(0, ...values);
  const step = 22;
  const names = 240;
  const scale = (value: number) => names + ((value - least) / (most - least || 1)) * (WIDTH - names - 90);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${shown.length * step + 8}`} role="img" aria-label={`${y} by ${x}, as bars`}>
        {shown.map((row, number) => {
          const name = plain(row[x], data);
          const [begin, end] = [scale(Math.min(0, values[number] ?? 0)), scale(Math.max(0, values[number] ?? 0))];
          return (
            <g key={number}>
              <title>{`${name}: ${plain(row[y], data)}`}</title>
              <text x={names - 8} y={number * step + 17} text-anchor="end">
                {cut(name, 34)}
              </text>
              <rect x={begin} y={number * step + 4} width={Math.max(1, end - begin)} height={step - 6} rx="2" />
              <text class="quiet" x={end + 6} y={number * step + 17}>
                {cut(plain(row[y], data), 12)}
              </text>
            </g>
          );
        })}
      </svg>
      <Left shown={shown.length} all={rows.length} what="bars" />
    </>
  );
}

function Points({ rows, x, y, joined, data }: Plot & { joined: boolean }) {
  const points = rows
    .slice(0, MOST_POINTS)
    .map((row) => ({ x: numberOf(row[x]), y: numberOf(row[y]), row }))
    .filter((point): point is { x: number; y: number; row: Row } => point.x !== null && point.y !== null);
  if (joined) points.sort((a, b) => a.x - b.x);
  const [xs, ys] = [ticks(points.map((each) => each.x)), ticks(points.map((each) => each.y))];
  const right = (value: number) => LEFT + share(value, xs) * (WIDTH - LEFT - 20);
  const down = (value: number) => HEIGHT - BOTTOM - share(value, ys) * (HEIGHT - BOTTOM - 20);
  const [xDates, yDates] = [isDate(points[0]?.row[x]), isDate(points[0]?.row[y])];
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${y} by ${x}, as ${joined ? "a line" : "points"}`}>
        {ys.map((value) => (
          <g key={value}>
            <line x1={LEFT} x2={WIDTH - 20} y1={down(value)} y2={down(value)} class="grid" />
            <text x={LEFT - 8} y={down(value) + 4} text-anchor="end" class="quiet">
              {said(value, yDates)}
            </text>
          </g>
        ))}
        {xs.map((value) => (
          <text key={value} x={right(value)} y={HEIGHT - BOTTOM + 20} text-anchor="middle" class="quiet">
            {said(value, xDates)}
          </text>
        ))}
        <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} text-anchor="middle">
          {x}
        </text>
        <text x={4} y={14}>
          {y}
        </text>
        {joined && <polyline points={points.map((each) => `${right(each.x)},${down(each.y)}`).join(" ")} />}
        {points.map((each, number) => (
          <circle key={number} cx={right(each.x)} cy={down(each.y)} r={points.length > 300 ? 2 : 4}>
            <title>{`${plain(each.row[x], data)}, ${plain(each.row[y], data)}`}</title>
          </circle>
        ))}
      </svg>
      <Left shown={points.length} all={rows.length} what="points" />
    </>
  );
}

function Left({ shown, all, what }: { shown: number; all: number; what: string }) {
  if (shown === all) return null;
  return (
    <p class="quiet">
      {shown.toLocaleString("en")} {what}; there are {all.toLocaleString("en")} rows.
    </p>
  );
}

/** Round numbers below, among and above some values, at most seven. */
export function ticks(values: number[]): number[] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  if (least > most) return [0, 1];
  if (least === most) return [least - (Math.abs(least) || 1), least, most + (Math.abs(most) || 1)];
  const rough = (most - least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const found: number[] = [];
  for (let each = Math.floor(least / step); each <= Math.ceil(most / step) && found.length < 9; each++) found.push(each * step);
  return found;
}

function share(value: number, marks: number[]): number {
  const [first, last] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  return (value - first) / (last - first || 1);
}

function said(value: number, date: boolean): string {
  if (date) return Number.isFinite(value) && Math.abs(value) < 8.64e15 ? new Date(value).toISOString().slice(0, 10) : "";
  return value.toLocaleString("en", { maximumSignificantDigits: 6, useGrouping: Math.abs(value) >= 10_000 });
}
