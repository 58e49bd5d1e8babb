/** What the template tells this page of the service's settings. */

import { pageData } from "../shared/page";

interface ManageData {
  identifierLength: number;
  /** Whether a folder keeps snapshots. */
  snapshots: boolean;
  /** Bytes above which a request becomes a job. */
  syncBytes: number;
  /** Bytes that a request may have. */
  bodyBytes: number;
  /** Files that a request may have. */
  batchDocuments: number;
}

export const data: ManageData = pageData<ManageData>();

/** A number of bytes, to read. */
export function bytes(count: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
