/** The filter of a search: values to choose, each with the number of chunks that it lets through. */

import { useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { shortName } from "../shared/links";
import { address } from "../shared/page";
import { useLoaded } from "../shared/use_request";
import { FILTERS } from "../api";
import { hasFilter, toggledFilter, withChoice, writeChoices, type Choices } from "./choices";
import type { Facet, FacetValue, Facets, PageData } from "./types";

const NAMES: Record<string, string> = { kind: "Kind of chunk", format: "Format", language: "Language", year: "Year", class: "Type" };

interface Props {
  choices: Choices;
  data: PageData;
  onChange: (choices: Choices) => void;
}

export function FacetList({ choices, data, onChange }: Props) {
  const [limit, setLimit] = useState(6);
  const filter = Object.fromEntries(Object.entries(choices).filter(([name]) => FILTERS.includes(name)));
  const query = writeChoices({ ...filter, limit }, data.parameters);
  const { value: found, error } = useLoaded<Facets>(address("/v1/facets") + query);
  const clear = () => onChange(FILTERS.reduce((left, name) => withChoice(left, name, undefined), choices));
  return (
    <>
      {Object.keys(filter).length > 0 && (
        <p class="row spread">
          <span class="quiet" role="status">
            {found === null ? "" : `${found.chunks.toLocaleString("en")} chunks may be in the answer`}
          </span>
          <button type="button" class="small" onClick={clear}>
            No filter
          </button>
        </p>
      )}
      {error !== null && <Alert error={error} />}
      {found !== null && !found.complete && <p class="quiet">Counted over a part of the graph.</p>}
      {found?.facets.map((facet) => (
        <FacetValues key={`${facet.metadata}${facet.name}`} {...{ facet, choices, data, onChange }} onMore={() => setLimit(50)} />
      ))}
    </>
  );
}

function FacetValues({ facet, choices, data, onChange, onMore }: Props & { facet: Facet; onMore: () => void }) {
  return (
    <fieldset class="facet">
      <legend>{facet.metadata ? facet.name : (NAMES[facet.name] ?? facet.name)}</legend>
      {facet.values.map((each) => (
        <label key={each.value} class="check">
          <input
            type="checkbox"
            checked={hasFilter(choices, each.filter)}
            onChange={() => onChange(toggledFilter(choices, each.filter))}
          />
          <span class="value" title={each.value}>
            {nameOf(facet, each, data)}
          </span>
          <span class="number quiet">{each.chunks.toLocaleString("en")}</span>
        </label>
      ))}
      {facet.more > 0 && facet.values.length < 50 && (
        <button type="button" class="bare" onClick={onMore}>
          {facet.more.toLocaleString("en")} more
        </button>
      )}
    </fieldset>
  );
}

function nameOf(facet: Facet, { value }: FacetValue, data: PageData): string {
  if (facet.metadata) return value;
  if (facet.name === "format") return data.formats[value] ?? value;
  if (facet.name === "class") return shortName(value);
  if (facet.name === "language") return new Intl.DisplayNames(["en"], { type: "language", fallback: "code" }).of(value) ?? value;
  return value;
}
