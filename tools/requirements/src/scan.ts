// Refreshes the proofs of the manifest and docs/requirements.md:
// `pnpm --filter @tenon/requirements scan`. A requirement with a test waits no longer; one that
// lost its test waits for the work that its section belongs to. `--summary` only counts.
import { writeFileSync } from "node:fs";

import type { Requirement } from "./entry.ts";
import { readManifest, readReferences, writeSection } from "./manifest.ts";
import { page } from "./page.ts";
import { requirementsPage } from "./paths.ts";
import { findProofs } from "./proofs.ts";
import { stateOf } from "./state.ts";
import { defaultWait } from "./waits.ts";

const proofs = findProofs();
const sections = readManifest().map(({ file, entries }) => ({ file, entries: entries.map(refreshed) }));
const entries = sections.flatMap((section) => section.entries);
if (!process.argv.includes("--summary")) {
  sections.forEach(writeSection);
  writeFileSync(requirementsPage, page(entries, readReferences(), proofs));
}
const counts = new Map<string, string[]>();
for (const entry of entries) {
  const state = stateOf(entry);
  counts.set(state, [...(counts.get(state) ?? []), entry.id]);
}
for (const [state, list] of counts) {
  console.log(
    `${String(list.length).padStart(4)}  ${state}${state === "proved" ? "" : `: ${list.join(" ")}`}`,
  );
}

function refreshed(entry: Requirement): Requirement {
  if (entry.notApplicable !== undefined || entry.deviates !== undefined) {
    return entry;
  }
  const { id, text, level, who, source, revisions, transports } = entry;
  const tests = proofs.get(id);
  const state = tests === undefined ? { waits: entry.waits ?? defaultWait(id) } : { tests };
  return {
    id,
    text,
    ...(level === undefined ? {} : { level }),
    ...(who === undefined ? {} : { who }),
    source,
    revisions,
    ...(transports === undefined ? {} : { transports }),
    ...state,
  };
}
