import type { Source } from "./sources.ts";

/** A page as the files for models list it. */
export interface ListedPage extends Source {
  /** The Markdown of the page on the site. */
  readonly markdown: string;
}

const sections = [
  ["Guides", "guide/"],
  ["Packages", "packages/"],
  ["Examples", "examples/"],
  ["Project", "project/"],
] as const;

/**
 * The content of `llms.txt`: the pages with the first sentence of each.
 *
 * @param origin - The URL of the site, without `/` at its end.
 * @source https://llmstxt.org
 */
export function llmsTxt(pages: readonly ListedPage[], summary: string, origin: string): string {
  const lists = sections.map(([name, prefix]) => {
    const lines = pages
      .filter(({ route }) => route.startsWith(prefix))
      .map((page) => `- [${page.title}](${origin}/${page.route}.md): ${firstSentence(page.markdown)}`);
    return `## ${name}\n\n${lines.join("\n")}\n`;
  });
  return `# Tenon\n\n> ${summary}\n\n${lists.join("\n")}`;
}

/** The content of `llms-full.txt`: all guides, one after the other. */
export function llmsFullTxt(pages: readonly ListedPage[], origin: string): string {
  return pages
    .filter(({ route }) => route.startsWith("guide/"))
    .map(({ route, markdown }) => `<!-- ${origin}/${route}.md -->\n\n${markdown.trim()}\n`)
    .join("\n");
}

/**
 * The first sentence of the page, without links; its headings if it has no text before them.
 * Tables, lists and code are skipped.
 */
function firstSentence(markdown: string): string {
  const [start = ""] = markdown.replaceAll(/^```[^]*?^```$|^<!--[^]*?-->$/gm, "").split(/^## /m, 1);
  const paragraph = /^[^#|<\n-].*(?:\n[^\n]+)*/m.exec(start)?.[0].replaceAll("\n", " ") ?? headings(markdown);
  const text = paragraph.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}

function headings(markdown: string): string {
  return `${[...markdown.matchAll(/^## (.+)$/gm)].map(([, text = ""]) => text.toLowerCase()).join(", ")}.`;
}
