import { createServer, get } from "node:http";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from "playwright-core";

import { originOnFreePort } from "./http.ts";
import { findProgram } from "./programs.ts";

export type { Browser, BrowserContext, Frame, Page };

const programs = ["chromium", "chromium-browser", "google-chrome"];

/**
 * Path of the Chromium of this machine: `$TENON_CHROMIUM`, or a program on the PATH. `undefined`
 * where there is none: tests that need it are skipped then.
 */
export const chromiumPath: string | undefined = findChromium();

function findChromium(): string | undefined {
  const { TENON_CHROMIUM: named } = process.env;
  return named === undefined || named === "" ? findProgram(...programs) : named;
}

/**
 * A Chromium without a window: a connection to that of the run of tests, which all files share, or
 * one of its own where none is offered. `close` it, or declare it with `await using`: its pages and
 * contexts end with it, and other connections do not see them.
 */
export async function startChromium(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error(`Found none of ${programs.join(", ")} on the PATH; set TENON_CHROMIUM to its path.`);
  }
  const { chromium } = await import("playwright-core");
  const offered = process.env["TENON_BROWSER"];
  if (offered === undefined) {
    return await chromium.launch({ executablePath: chromiumPath });
  }
  const { status, text } = await textAt(offered);
  if (status !== 200) {
    throw new Error(`The Chromium of this run did not start: ${text}`);
  }
  return await chromium.connect(text);
}

/** Not by `fetch`, which a test may have replaced. */
function textAt(url: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.once("end", () => resolve({ status: response.statusCode, text }));
      response.once("error", reject);
    }).once("error", reject);
  });
}

/** Opens a context, whose pages wait as long as a busy machine needs. */
export async function openContext(
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  return context;
}

/**
 * Opens a page in a context of its own, which shares no storage and no channels with others.
 * `errors` receives what its scripts throw and do not catch.
 */
export async function openPage(
  browser: Browser,
  url: string,
  errors?: (error: Error) => void,
): Promise<Page> {
  const page = await (await openContext(browser)).newPage();
  if (errors !== undefined) {
    page.on("pageerror", errors);
  }
  await page.goto(url);
  return page;
}

/** A file of a site: its text, or its text and how it is sent. */
export type SiteFile =
  | string
  | { readonly body: string | Uint8Array; readonly headers?: Readonly<Record<string, string>> | undefined };

/** A server of a few files on 127.0.0.1. */
export interface Site extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. A second site is another origin. */
  readonly origin: string;
  /** The same site under `http://localhost:<port>`, which is another origin and another site. */
  readonly otherOrigin: string;
  /** Stops the server, and ends connections that are open. */
  close(): Promise<void>;
}

/**
 * Serves files on a free port of 127.0.0.1. Paths that end in `.js` are scripts, all others HTML,
 * unless their headers say otherwise.
 *
 * @param files - By path: `{ "/": "<!doctype html>…", "/main.js": await bundleForBrowser(…) }`. May
 *   change while the site is open.
 */
export async function serveSite(files: Readonly<Record<string, SiteFile>>): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const file = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { body, headers } = typeof file === "string" ? { body: file } : file;
    const type = pathname.endsWith(".js") ? "text/javascript" : "text/html";
    response
      .writeHead(200, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store", ...headers })
      .end(body);
  });
  const origin = await originOnFreePort(server);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    origin,
    otherOrigin: origin.replace("127.0.0.1", "localhost"),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Compiles a program with all that it imports into one script for `<script type="module">`. It
 * fails if the program imports a module of Node.
 *
 * @param source - Its file: `new URL("browser/host.ts", import.meta.url)`.
 * @param alias - Folders to take packages from, by their names: `{ react: "/…/react-18" }`.
 */
export async function bundleForBrowser(
  source: URL,
  alias: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    target: "es2023",
    conditions: ["@tenon/source"],
    alias,
    logLevel: "silent",
  });
  return outputFiles.map(({ text }) => text).join("\n");
}
