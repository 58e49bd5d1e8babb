/** Where the rows of an answer are: columns of geometries, and pairs of columns of latitude and longitude. */

import type { Answer, Row } from "./answers";
import { numberOf, type Term } from "./terms";

const GEO = "http://www.opengis.net/ont/geosparql#";
export const WKT = `${GEO}wktLiteral`;
export const GEOJSON = `${GEO}geoJSONLiteral`;

export interface Place {
  name: string;
  columns: string[];
  /** The geometry of a row, as a literal. */
  of: (row: Row) => Term | undefined;
}

export function places({ columns, rows }: Answer): Place[] {
  const found = columns
    .filter((column) => rows.some((row) => isGeometry(row[column])))
    .map((column): Place => ({ name: column, columns: [column], of: (row) => row[column] }));
  const lat = columns.find((column) => /^lat(itude)?$/i.test(column));
  const long = columns.find((column) => /^(lon|long|lng|longitude)$/i.test(column));
  if (lat !== undefined && long !== undefined) {
    const of = (row: Row) => point(row[long], row[lat]);
    if (rows.some((row) => of(row) !== undefined)) found.push({ name: `${lat}, ${long}`, columns: [lat, long], of });
  }
  return found;
}

export function isGeometry(term: Term | undefined): term is Term & { type: "literal" } {
  return term?.type === "literal" && (term.datatype === WKT || term.datatype === GEOJSON);
}

function point(long: Term | undefined, lat: Term | undefined): Term | undefined {
  const [x, y] = [numberOf(long), numberOf(lat)];
  return x === null || y === null ? undefined : { type: "literal", value: `POINT(${x} ${y})`, datatype: WKT };
}
