import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Entry } from "./entry.ts";
import { data } from "./paths.ts";

/** One file of the manifest: a section of requirements, one JSON object a line. */
export interface Section {
  readonly file: string;
  readonly entries: readonly Entry[];
}

/** Reads the manifest. */
export function readManifest(): readonly Section[] {
  return readdirSync(data)
    .filter((file) => file.endsWith(".jsonl"))
    .toSorted()
    .map((file) => ({
      file,
      entries: readFileSync(join(data, file), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Entry),
    }));
}

/** Writes a section back. */
export function writeSection({ file, entries }: Section): void {
  writeFileSync(join(data, file), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}
