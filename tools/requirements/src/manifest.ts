import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Reference, Requirement } from "./entry.ts";
import { data } from "./paths.ts";

/** One file of the manifest: a section of requirements, one JSON object a line. */
export interface Section {
  readonly file: string;
  readonly entries: readonly Requirement[];
}

const isSection = (file: string): boolean => /^((seed|spec)-.*|threats)\.jsonl$/.test(file);

/** Reads the requirements, section by section. */
export function readManifest(): readonly Section[] {
  return readdirSync(data)
    .filter(isSection)
    .toSorted()
    .map((file) => ({ file, entries: readLines(file) as Requirement[] }));
}

/** Reads the traps and the attacks. */
export function readReferences(): readonly Reference[] {
  return [...readLines("traps.jsonl"), ...readLines("attacks.jsonl")] as Reference[];
}

/** Writes a section back. */
export function writeSection({ file, entries }: Section): void {
  writeFileSync(join(data, file), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

function readLines(file: string): unknown[] {
  return readFileSync(join(data, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
