/** Rows of an answer as shapes at their longitude and latitude. It is bounded in shapes. */

import { useMemo, useRef, useState } from "preact/hooks";
import { cut } from "../shared/text";
import type { Answer, Row } from "./answers";
import { ticks } from "./chart";
import { Choice } from "./choice";
import { type Box, useFrame } from "./frame";
import { type Place, places } from "./places";
import { HEIGHT, type Picture, picture, type Scale, type Shape, WIDTH } from "./shapes";
import { type PageData, plain } from "./terms";

export interface MapOptions {
  answer: Answer;
  data: PageData;
  marked: Row | null;
  mark: (row: Row) => void;
}

export function ResultMap({ answer, data, marked, mark }: MapOptions) {
  const all = useMemo(() => places(answer), [answer]);
  const [chosen, choose] = useState("");
  const place = all.find(({ name }) => name === chosen) ?? all[0];
  const drawn = useMemo(() => place && picture(answer, place), [answer, place]);
  if (place === undefined || drawn === undefined) return null;
  return (
    <div>
      {all.length > 1 && (
        <div class="row">
          <Choice label="Geometry" value={place.name} options={all.map(({ name }) => name)} set={choose} />
        </div>
      )}
      {drawn.shapes.length === 0 ? (
        <Extent picture={drawn} />
      ) : (
        <Drawing picture={drawn} label={(row) => labelOf(row, answer, place, data)} marked={marked} mark={mark} />
      )}
    </div>
  );
}

/** The other columns of a row; its geometry if there are none. */
function labelOf(row: Row, { columns }: Answer, place: Place, data: PageData): string {
  const others = columns.filter((column) => !place.columns.includes(column) && row[column] !== undefined);
  const said = others.map((column) => `${column}: ${cut(plain(row[column], data), 80)}`).join("; ");
  return said || cut(plain(place.of(row), data), 80);
}

/** How much of the answer the drawing has. */
function Extent({ picture: { shapes, all, faulty, unknown } }: { picture: Picture }) {
  const count = (number: number) => number.toLocaleString("en");
  const isPart = all > shapes.length + faulty;
  return (
    <p class="quiet">
      {isPart && "The first "}
      {count(shapes.length)} of {count(all)} geometries{isPart && "; the table has all"}.
      {faulty > 0 && ` ${count(faulty)} could not be drawn: malformed, empty, too long, not in degrees or in another coordinate system`}
      {unknown.length > 0 && ` (${unknown.slice(0, 3).join(", ")})`}
      {faulty > 0 && "."}
    </p>
  );
}

interface DrawingOptions {
  picture: Picture;
  label: (row: Row) => string;
  marked: Row | null;
  mark: (row: Row) => void;
}

function Drawing({ picture, label, marked, mark }: DrawingOptions) {
  const whole = useMemo(() => ({ x: 0, y: 0, width: WIDTH, height: HEIGHT }), [picture]);
  const { box, setBox, buttons, pointer } = useFrame(whole);
  const list = useRef<SVGSVGElement>(null);
  const { shapes, scale } = picture;
  const begin = shapes.find(({ row }) => row === marked) ?? shapes[0];
  const seen = useRef(box);
  seen.current = box;
  const reach = (shape: Shape) => {
    mark(shape.row);
    if (apart(shape.box, seen.current)) setBox(centred(shape.box, seen.current));
  };
  const turn = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = shapes.findIndex((each) => each === begin) + step;
    const options = list.current?.querySelectorAll<SVGGElement>("[role=option]");
    options?.[Math.max(0, Math.min(shapes.length - 1, next))]?.focus();
  };
  const options = useMemo(
    () =>
      shapes.map((shape, number) => {
        const name = label(shape.row);
        return (
          <g
            key={number}
            role="option"
            aria-label={name}
            aria-selected={shape.row === marked}
            tabIndex={shape === begin ? 0 : -1}
            onFocus={() => reach(shape)}
          >
            <title>{name.replaceAll("; ", "\n")}</title>
            <path class="areas" d={shape.areas} />
            <path class="lines" d={shape.lines} />
            <path class="dots" d={shape.dots} />
          </g>
        );
      }),
    [picture, marked],
  );
  return (
    <>
      <div class="row spread">
        <Extent picture={picture} />
        {buttons}
      </div>
      <svg class="result-map" {...pointer}>
        <Graticule box={box} scale={scale} />
        <svg
          ref={list}
          viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
          role="listbox"
          aria-label="The rows on a map"
          onKeyDown={turn}
        >
          {options}
        </svg>
      </svg>
      <p class="quiet">{marked === null ? "Choose a shape to mark its row." : label(marked)}</p>
    </>
  );
}

function apart(a: Box, b: Box): boolean {
  return a.x > b.x + b.width || a.x + a.width < b.x || a.y > b.y + b.height || a.y + a.height < b.y;
}

function centred(on: Box, { width, height }: Box): Box {
  return { x: on.x + (on.width - width) / 2, y: on.y + (on.height - height) / 2, width, height };
}

/** Lines of longitude and latitude at round degrees. */
function Graticule({ box, scale }: { box: Box; scale: Scale }) {
  const west = scale.west + box.x / scale.perLongitude;
  const north = scale.north - box.y / scale.perLatitude;
  const across = box.width / scale.perLongitude;
  const down = box.height / scale.perLatitude;
  const within = (least: number, size: number) => ticks([least, least + size]).filter((each) => each > least && each < least + size);
  return (
    <g class="graticule" aria-hidden="true">
      {within(west, across).map((each, number) => {
        const x = `${((each - west) / across) * 100}%`;
        return (
          <g key={`x${each}`}>
            <line x1={x} x2={x} y1="0" y2="100%" />
            <text class={number % 2 === 1 ? "narrow" : ""} x={x} y="100%" dx="3" dy="-5">
              {degrees(each, "W", "E")}
            </text>
          </g>
        );
      })}
      {within(north - down, down)
        .filter((each) => Math.abs(each) <= 90)
        .map((each) => {
          const y = `${((north - each) / down) * 100}%`;
          return (
            <g key={`y${each}`}>
              <line x1="0" x2="100%" y1={y} y2={y} />
              <text x="4" y={y} dy="-3">
                {degrees(each, "S", "N")}
              </text>
            </g>
          );
        })}
    </g>
  );
}

function degrees(value: number, below: string, above: string): string {
  const size = Math.abs(value).toLocaleString("en", { maximumFractionDigits: 6 });
  return size === "0" ? "0°" : `${size}° ${value < 0 ? below : above}`;
}
