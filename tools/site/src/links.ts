import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const repository = "https://github.com/tenon-mcp/tenon";

/** Where the links of a page lead. */
export interface LinkTargets {
  /** The root of the repository. */
  readonly root: string;
  /** The routes of pages by their path in the repository. */
  readonly routes: ReadonlyMap<string, string>;
  /** Called with each picture of the repository that a page shows. Its path is from the root. */
  onPicture(path: string): void;
}

/** Readers of npm get absolute links to the files of the repository. */
const ofRepository = new RegExp(`^${repository}/(?:blob|tree)/main/(.+)$`);
const inMarkdown = /(\]\()([^)\s]+)(\))/g;
const inHtml = /((?:src|srcset|href)=")([^"]+)(")/g;
const code = /(^ *```[^]*?^ *```$|`[^`\n]*`)/gm;

/**
 * Returns Markdown whose relative links lead to pages of the site, to files of the repository on
 * GitHub, and to pictures in `/pictures`. Code stays as it is.
 *
 * @param path - The path of the page in the repository.
 */
export function linkedOnSite(markdown: string, path: string, targets: LinkTargets): string {
  const replace = (text: string): string =>
    [inMarkdown, inHtml].reduce(
      (result, pattern) =>
        result.replace(
          pattern,
          (_, open: string, link: string, close: string) => `${open}${target(link, path, targets)}${close}`,
        ),
      text,
    );
  return outsideCode(markdown, replace);
}

/** Changes the text of a page, and leaves its code as it is. */
export function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}

function target(link: string, from: string, { root, routes, onPicture }: LinkTargets): string {
  const own = ofRepository.exec(link)?.[1];
  if (own === undefined && /^([a-z]+:|#|\/)/.test(link)) {
    return link;
  }
  const [file = "", anchor] = (own ?? link).split("#");
  const path = (own === undefined ? join(dirname(from), file) : file).replace(/\/$/, "");
  const after = anchor === undefined ? "" : `#${anchor}`;
  const route = routes.get(path) ?? routes.get(join(path, "README.md"));
  if (route !== undefined) {
    return `/${route.replace(/(^|\/)index$/, "$1")}${after}`;
  }
  if (!existsSync(join(root, path))) {
    throw new Error(`${from} links to ${link}, which does not exist.`);
  }
  if (/\.(png|webp|svg|gif)$/.test(path)) {
    onPicture(path);
    return `/pictures/${path}`;
  }
  const kind = statSync(join(root, path)).isDirectory() ? "tree" : "blob";
  return `${repository}/${kind}/main/${path}${after}`;
}
