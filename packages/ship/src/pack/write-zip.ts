import { zipSync } from "fflate";

import type { Files } from "./read-zip.ts";

/** The earliest time of a ZIP archive, in the local time that the format has. */
const epoch = new Date(1980, 0, 1);

/** The same files always give the same bytes: sorted by name, without times, users and modes. */
export function writeZip(files: Files): Uint8Array {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return zipSync(Object.fromEntries(sorted), { level: 9, mtime: epoch });
}
