const maxCandidates = 50;

/**
 * The candidate that a word with one typo was probably meant to be. Typos in two distant places are
 * not recognized. Letters that differ in all places were not misspelt.
 */
export function nearest(word: string, candidates: readonly unknown[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(1, Math.floor(word.length / 3)) + 1);
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

/**
 * The length of the longer word without the equal letters at the start and at the end; 1 for two
 * neighbors that were exchanged.
 */
function distance(a: string, b: string): number {
  let start = 0;
  while (start < a.length && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) {
    end++;
  }
  const isExchanged = a[start] === b[start + 1] && a[start + 1] === b[start];
  const differing = Math.max(a.length, b.length) - start - end;
  return differing === 2 && isExchanged ? 1 : differing;
}
