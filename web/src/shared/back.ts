/** The way back to a search, which travels in the fragment of an address and is never sent to a server. */

import { root } from "./page";

const NAME = "#back=";

/** `href`, whose page leads back to the search of the current address. */
export function withWayBack(href: string): string {
  return location.search ? `${href}${NAME}${encodeURIComponent(location.search)}` : href;
}

/** The address of the search that led to this page, if one did: always the search page of this service. */
export function wayBack(): string | null {
  if (!location.hash.startsWith(NAME)) return null;
  try {
    const query = decodeURIComponent(location.hash.slice(NAME.length));
    return query.startsWith("?") ? `${root}/${query}` : null;
  } catch {
    return null; // not what we wrote
  }
}
