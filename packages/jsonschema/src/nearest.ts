/** Words longer than this are not compared. */
const maxLength = 64;

const maxCandidates = 50;

/**
 * The candidate that a misspelt word was probably meant to be. Letters that differ in all places
 * were not misspelt.
 */
export function nearest(word: string, candidates: readonly unknown[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(1, Math.floor(word.length / 3)) + 1);
  if (word.length > maxLength) {
    return undefined;
  }
  for (const candidate of candidates.slice(0, maxCandidates)) {
    if (typeof candidate !== "string" || Math.abs(candidate.length - word.length) >= least) {
      continue;
    }
    const d = distance(word.toLowerCase(), candidate.toLowerCase());
    if (d < least && d < candidate.length) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
