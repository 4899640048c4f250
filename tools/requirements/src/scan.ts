// Refreshes the proof column of the manifest: `pnpm --filter @tenon/requirements scan`. What has a test waits no more; what lost its
// test waits for the work that its section belongs to. `--summary` only counts.
import type { Entry } from "./entry.ts";
import { readManifest, writeSection } from "./manifest.ts";
import { findProofs } from "./proofs.ts";
import { defaultWait } from "./waits.ts";

const proofs = findProofs();
const sections = readManifest().map(({ file, entries }) => ({ file, entries: entries.map(refreshed) }));
if (!process.argv.includes("--summary")) {
  sections.forEach(writeSection);
}
const entries = sections.flatMap((section) => section.entries);
const counts = new Map<string, string[]>();
for (const { id, tests, waits } of entries) {
  const state =
    tests !== undefined ? "proved" : waits === undefined ? "not applicable" : `waits for ${waits}`;
  counts.set(state, [...(counts.get(state) ?? []), id]);
}
for (const [state, list] of counts) {
  console.log(
    `${String(list.length).padStart(4)}  ${state}${state === "proved" ? "" : `: ${list.join(" ")}`}`,
  );
}

function refreshed({ id, revisions, transports, notApplicable, waits }: Entry): Entry {
  const about = { id, revisions, ...(transports === undefined ? {} : { transports }) };
  const tests = proofs.get(id);
  if (tests !== undefined) {
    return { ...about, tests };
  }
  return notApplicable === undefined
    ? { ...about, waits: waits ?? defaultWait(id) }
    : { ...about, notApplicable };
}
