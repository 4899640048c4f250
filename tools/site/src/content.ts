import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { entries, writeApi } from "./api.ts";
import { filesIn } from "./files.ts";
import { homePage } from "./home.ts";
import { llmsFullTxt, llmsTxt, type ListedPage } from "./llms.ts";
import { forVitePress, pageOf } from "./page.ts";
import { content, origin, root } from "./place.ts";
import { buildPlayground } from "./playground/build.ts";
import { sources } from "./sources.ts";

/** Which pages are written. */
interface Extent {
  /** Whether the pages of the API are among them, which typedoc takes half a minute for. */
  readonly isWhole: boolean;
}

interface Written {
  readonly pages: number;
  readonly pictures: number;
}

/**
 * Writes the pages that VitePress builds the site from, their pictures, and the files for models:
 * `llms.txt`, `llms-full.txt`, and the Markdown of each page at its path with `.md`.
 */
export async function writeContent({ isWhole }: Extent): Promise<Written> {
  rmSync(content, { recursive: true, force: true });
  const api = join(content, "api");
  if (isWhole) {
    await writeApi(api, entries());
  }
  const generated = isWhole ? filesIn(api) : [];
  for (const path of generated) {
    const markdown = readFileSync(join(api, path), "utf8");
    write(`api/${path}`, forVitePress(markdown, undefined));
    write(`public/api/${path}`, markdown);
  }
  const pages = listedPages((path) => {
    copy(path, join(content, "public/pictures", path));
  });
  for (const { path, route, markdown } of pages.listed) {
    write(`${route}.md`, forVitePress(markdown, path));
    write(`public/${route}.md`, markdown);
  }
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const speed = JSON.parse(readFileSync(join(root, "tools/bench/speed.json"), "utf8")) as object[];
  write("index.md", homePage(readme, speed));
  const playground = await buildPlayground();
  write("playground.md", playground.page);
  write("public/playground/frame.html", playground.frame);
  write("public/_headers", "/playground/frame.html\n  Content-Security-Policy: sandbox allow-scripts\n");
  copy("packages/inspector/src/page/icon.svg", join(content, "public/icon.svg"));
  copy("docs/images/inspector.webp", join(content, "public/pictures/docs/images/inspector.webp"));
  write("public/pages.json", JSON.stringify(pages.listed));
  write("public/llms.txt", llmsTxt(pages.listed, summaryOf(readme), origin));
  write("public/llms-full.txt", llmsFullTxt(pages.listed, origin));
  return { pages: pages.listed.length + 2 + generated.length, pictures: pages.pictures };
}

/** The pages with their Markdown. `onPicture` gets each picture once. */
export function listedPages(onPicture: (path: string) => void): {
  readonly listed: readonly ListedPage[];
  readonly pictures: number;
} {
  const all = sources(root);
  const routes = new Map(all.map(({ path, route }) => [path, route]));
  const pictures = new Set<string>();
  const listed = all.map((source) => {
    const markdown = readFileSync(join(root, source.path), "utf8");
    const targets = { root, routes, onPicture: (path: string) => void pictures.add(path) };
    return { ...source, markdown: pageOf(source, markdown, targets) };
  });
  pictures.forEach(onPicture);
  return { listed, pictures: pictures.size };
}

/** The first paragraph of the README. */
export function summaryOf(readme: string): string {
  return /^# .+\n\n(.+)$/m.exec(readme)?.[1] ?? "";
}

function write(path: string, text: string): void {
  const file = join(content, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, from), to);
}
