import { linkedOnSite, outsideCode, type LinkTargets } from "./links.ts";
import type { Source } from "./sources.ts";

/** Marks of the repository's own tools, which readers of the site have no use for. */
const marks =
  /^<!-- (?:region|run by|drawing|options|end of options|errors|end of errors|speed|end of speed)[^]*?-->\n+/gm;

/** The page of a source: its Markdown without marks, with links of the site. */
export function pageOf({ path }: Source, markdown: string, targets: LinkTargets): string {
  return linkedOnSite(markdown.replace(marks, ""), path, targets);
}

/**
 * Markdown as VitePress takes it: text in double braces would be evaluated.
 *
 * @param path - The file that readers may change; `undefined` for generated pages.
 */
export function forVitePress(markdown: string, path: string | undefined): string {
  const source = path === undefined ? "editLink: false" : `source: ${path}`;
  const text = outsideCode(markdown, (part) => part.replaceAll("{{", "&#123;&#123;"));
  return `---\ncopy: true\n${source}\n---\n\n${text}`;
}
