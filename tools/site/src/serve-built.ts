import { readFileSync } from "node:fs";
import { join } from "node:path";

import { serveSite, type Site } from "@tenon/test-support/chromium";

import { filesIn } from "./files.ts";
import { root } from "./place.ts";

/** The folder of the site as VitePress builds it. */
export const dist: string = join(root, "tools/site/.vitepress/dist");

const types: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  svg: "image/svg+xml",
  txt: "text/plain",
};

/** Serves the built site on this machine, with the routes of its host. */
export function serveBuilt(): Promise<Site> {
  const files = filesIn(dist).map((path) => {
    const type = types[path.split(".").at(-1) ?? ""];
    const body = readFileSync(join(dist, path));
    const page = path.replace(/(^|\/)index\.html$/, "$1").replace(/\.html$/, "");
    // The frame of the playground is named by its file.
    const route = `/${path.startsWith("playground/") ? path : page}`;
    return [route, { body, headers: type === undefined ? {} : { "content-type": type } }] as const;
  });
  return serveSite(Object.fromEntries(files));
}
