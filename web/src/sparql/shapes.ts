/** Geometries of rows as paths in a plane of degrees, in which a degree of latitude is everywhere as long. */

import { wktToGeoJSON } from "betterknown";
import { type GeoPath, geoPath, geoTransform } from "d3-geo";
import type { Geometry, GeometryCollection } from "geojson";
import type { Answer, Row } from "./answers";
import type { Box } from "./frame";
import { GEOJSON, isGeometry, type Place } from "./places";
import type { Term } from "./terms";

export const WIDTH = 900;
export const HEIGHT = 600;
const MOST_SHAPES = 2000;
/** Most characters of a geometry, and of all together up to the last. */
const MOST_TEXT = 2_000_000;
const MARGIN = 0.08;
const LEAST_DEGREES = 0.01;
const CRS84 = /^https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/[\d.]+\/CRS84$/;
const EPSG_4326 = /^https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[\d.]+\/4326$/;
const KINDS = { areas: /Polygon$/, lines: /LineString$/, dots: /Point$/ };

type Part = Exclude<Geometry, GeometryCollection>;

export interface Shape {
  row: Row;
  areas: string;
  lines: string;
  dots: string;
  box: Box;
}

/** How degrees become places of the drawing. */
export interface Scale {
  west: number;
  north: number;
  perLongitude: number;
  perLatitude: number;
}

export interface Picture {
  /** From the largest to the smallest, so that none hides another. */
  shapes: Shape[];
  scale: Scale;
  /** How many rows have a geometry, drawn or not. */
  all: number;
  /** How many were tried and are not drawn. */
  faulty: number;
  /** The coordinate systems that stood in the way. */
  unknown: string[];
}

export function picture({ rows }: Answer, place: Place): Picture {
  const located = rows.map((row) => ({ row, term: place.of(row) })).filter(({ term }) => isGeometry(term));
  const unknown = new Set<string>();
  const read: { row: Row; parts: Part[]; bounds: Bounds }[] = [];
  let tried = 0;
  let length = 0;
  for (const { row, term } of located) {
    if (read.length >= MOST_SHAPES || length > MOST_TEXT) break;
    tried++;
    try {
      const { value, datatype } = term as Term & { type: "literal" };
      if (value.length > MOST_TEXT) continue;
      length += value.length;
      const parts = partsOf(value, datatype);
      const bounds = geoPath().bounds(together(parts));
      if (isOnEarth(bounds)) read.push({ row, parts, bounds });
    } catch (error) {
      if (error instanceof UnknownSystem) unknown.add(error.message);
    }
  }
  const scale = scaleOf(read.map(({ bounds }) => bounds));
  const path = geoPath(
    geoTransform({
      point(longitude, latitude) {
        this.stream.point((longitude - scale.west) * scale.perLongitude, (scale.north - latitude) * scale.perLatitude);
      },
    }),
  );
  path.pointRadius(0).digits(4);
  const shapes = read.map(({ row, parts }) => shape(row, parts, path)).filter((each) => each !== null);
  shapes.sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  return { shapes, scale, all: located.length, faulty: tried - shapes.length, unknown: [...unknown] };
}

class UnknownSystem extends Error {}

/** The geometries that a literal has, longitude first. Throws Error for anything that is not a geometry. */
function partsOf(value: string, datatype: string | undefined): Part[] {
  if (datatype === GEOJSON) return flat(JSON.parse(value) as Part);
  const [, system, wkt = ""] = /^\s*(?:<([^>]*)>)?([^]*)$/.exec(value) ?? [];
  const parts = flat(wktToGeoJSON(wkt.replace(/\s+/g, " ")) as Geometry | null);
  if (system === undefined || CRS84.test(system)) return parts;
  if (EPSG_4326.test(system)) return parts.map((each) => ({ ...each, coordinates: swapped(each.coordinates) }) as Part);
  throw new UnknownSystem(system);
}

function flat(geometry: Geometry | null): Part[] {
  if (geometry === null) return [];
  return geometry.type === "GeometryCollection" ? geometry.geometries.flatMap(flat) : [geometry];
}

function together(geometries: Geometry[]): GeometryCollection {
  return { type: "GeometryCollection", geometries };
}

type Nested = number | Nested[];

/** Coordinates with the first and second number of each position exchanged. */
function swapped(coordinates: Nested[]): Nested[] {
  const [x, y] = coordinates;
  if (typeof x === "number" && typeof y === "number") return [y, x];
  return coordinates.map((each) => swapped(each as Nested[]));
}

type Bounds = ReturnType<GeoPath["bounds"]>;

function isOnEarth([[west, south], [east, north]]: Bounds): boolean {
  return west >= -360 && east <= 360 && south >= -90 && north <= 90 && west <= east;
}

function scaleOf(all: Bounds[]): Scale {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [[left, bottom], [right, top]] of all) {
    [west, south] = [Math.min(west, left), Math.min(south, bottom)];
    [east, north] = [Math.max(east, right), Math.max(north, top)];
  }
  const across = Math.max(east - west, LEAST_DEGREES) * (1 + 2 * MARGIN);
  const down = Math.max(north - south, LEAST_DEGREES) * (1 + 2 * MARGIN);
  const [longitude, latitude] = [(west + east) / 2, (south + north) / 2];
  const narrowing = Math.max(0.1, Math.cos((latitude * Math.PI) / 180));
  const perLatitude = Math.min(WIDTH / (across * narrowing), HEIGHT / down);
  const perLongitude = perLatitude * narrowing;
  return { west: longitude - WIDTH / 2 / perLongitude, north: latitude + HEIGHT / 2 / perLatitude, perLongitude, perLatitude };
}

function shape(row: Row, parts: Part[], path: GeoPath): Shape | null {
  const drawn = (kind: RegExp) => path(together(parts.filter(({ type }) => kind.test(type)))) ?? "";
  const [areas, lines, dots] = [drawn(KINDS.areas), drawn(KINDS.lines), drawn(KINDS.dots)];
  const all = areas + lines + dots;
  if (all === "" || all.includes("NaN")) return null;
  const [[left, top], [right, bottom]] = path.bounds(together(parts));
  return { row, areas, lines, dots, box: { x: left, y: top, width: right - left, height: bottom - top } };
}
