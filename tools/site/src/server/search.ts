import type { ListedPage } from "../llms.ts";

/** A page that was found. */
export interface Found {
  readonly path: string;
  readonly title: string;
  /** The line with most of the words. */
  readonly excerpt: string;
}

/** Points of a word in the title, in a heading and in the text. */
const weights = { title: 8, heading: 3, text: 1 } as const;
const maxExcerpt = 300;

/**
 * Returns the pages that have all words of a query, best first.
 *
 * @param limit - The maximum number of pages.
 */
export function search(pages: readonly ListedPage[], query: string, limit: number): readonly Found[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  const scored = pages.flatMap((page) => {
    const points = words.map((word) => pointsOf(page, word));
    return points.length === 0 || points.includes(0)
      ? []
      : [{ page, sum: points.reduce((total, each) => total + each, 0) }];
  });
  return scored
    .toSorted((a, b) => b.sum - a.sum)
    .slice(0, limit)
    .map(({ page }) => ({ path: page.route, title: page.title, excerpt: excerptOf(page, words) }));
}

function pointsOf({ title, markdown }: ListedPage, word: string): number {
  if (title.toLowerCase().includes(word)) {
    return weights.title;
  }
  const lines = markdown
    .toLowerCase()
    .split("\n")
    .filter((line) => line.includes(word));
  return lines.some((line) => line.startsWith("#")) ? weights.heading : lines.length > 0 ? weights.text : 0;
}

function excerptOf({ markdown }: ListedPage, words: readonly string[]): string {
  const hits = (line: string): number => words.filter((word) => line.toLowerCase().includes(word)).length;
  const best = markdown.split("\n").reduce((a, b) => (hits(b) > hits(a) ? b : a), "");
  return best.length > maxExcerpt ? `${best.slice(0, maxExcerpt)}…` : best;
}
