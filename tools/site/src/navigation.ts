import type { Source } from "./sources.ts";

/** An entry of the side bar. */
export interface Entry {
  readonly text: string;
  readonly link: string;
}

/** A titled group of entries. */
export interface Group {
  readonly text: string;
  readonly items: Entry[];
}

/**
 * The groups of guides: the tables of `docs/README.md`, whose first column links to pages. Pages
 * that only its text names come first.
 *
 * @param index - The Markdown of `docs/README.md`.
 */
export function guideGroups(index: string, pages: readonly Source[]): Group[] {
  const byFile = new Map(
    pages.filter(({ path }) => path.startsWith("docs/")).map((page) => [page.path.slice(5), page]),
  );
  const listed = new Set<string>();
  const entriesIn = (text: string): Entry[] =>
    [...text.matchAll(/\]\(([\w-]+\.md)[)#]/g)].flatMap(([, file = ""]) => {
      const page = byFile.get(file);
      if (page === undefined || listed.has(file)) {
        return [];
      }
      listed.add(file);
      return [{ text: page.title, link: `/${page.route}` }];
    });
  const [intro = "", ...tables] = index.split(/^(?=\|[^\n]+\|\n\|-)/m);
  const start = { text: "Start", items: entriesIn(intro) };
  const groups = tables.map((table) => ({
    text: capitalized(/^\| ([^|]+) \|/.exec(table)?.[1] ?? ""),
    items: entriesIn(table),
  }));
  return [start, ...groups].filter(({ items }) => items.length > 0);
}

/** One group of all pages below a route. */
export function groupBelow(prefix: string, text: string, pages: readonly Source[]): Group {
  const items = pages
    .filter(({ route }) => route.startsWith(prefix))
    .map(({ route, title }) => ({ text: title, link: `/${route}` }));
  return { text, items };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
