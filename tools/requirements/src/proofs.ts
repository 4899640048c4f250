import { readTitles } from "./titles.ts";

const id = /\b(?:[SREAB]-\d{3}|T-\d{2,3}[a-zA-Z]?|N-\d{3})(?![\da-zA-Z])/g;

/** Returns the ids that a text names one by one. Of a range only the ends count. */
export function idsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(id)].map(([name]) => name));
}

/** Returns for each id the tests whose titles name it, as `<file>: <title>`, sorted. */
export function findProofs(): ReadonlyMap<string, readonly string[]> {
  const proofs = new Map<string, string[]>();
  for (const [file, titles] of readTitles()) {
    for (const title of titles) {
      for (const name of idsIn(title)) {
        proofs.set(name, [...(proofs.get(name) ?? []), `${file}: ${title}`]);
      }
    }
  }
  return new Map([...proofs].map(([name, tests]) => [name, [...new Set(tests)].toSorted()]));
}
