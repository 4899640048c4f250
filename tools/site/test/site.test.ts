import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { bothEras } from "@tenon/test-support";
import {
  chromiumPath,
  startChromium,
  type Browser,
  type Page,
  type Site,
  openContext,
} from "@tenon/test-support/chromium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { listedPages, writeContent } from "../src/content.ts";
import { filesIn } from "../src/files.ts";
import { content } from "../src/place.ts";
import { dist, serveBuilt } from "../src/serve-built.ts";
import { docsServer } from "../src/server/docs-server.ts";
import worker from "../src/server/worker.ts";

const folder = join(import.meta.dirname, "..");
const here = createRequire(import.meta.url);
const maxScriptBytes = 150 * 1024;
test("the content has every page of docs, and each page is listed for models and stands beside itself as Markdown", async () => {
  const { pages } = await writeContent({ isWhole: false });
  const written = filesIn(content).filter((path) => path.endsWith(".md") && !path.startsWith("public/"));
  expect(written).toHaveLength(pages);
  const llms = readFileSync(join(content, "public/llms.txt"), "utf8");
  for (const { route, title } of listedPages(() => {}).listed) {
    expect(llms).toContain(`- [${title}](https://tenon.dev/${route}.md): `);
    expect(readFileSync(join(content, "public", `${route}.md`), "utf8")).toContain("# ");
  }
  // Code, tables and signs say nothing about a page.
  expect(llms).not.toMatch(/\): (?:$|[^\w`@"])/m);
  expect(llms).not.toMatch(/\): ```/);
  // A sentence may have several lines.
  expect(llms).toMatch(/over any transport that implements the interface of .+\.$/m);
  // Braces in text would be evaluated, and readers copy those in code.
  const codegen = readFileSync(join(content, "guide/codegen.md"), "utf8");
  expect(codegen).toContain("${{ !cancelled() }}");
  expect(codegen).not.toContain("&#123;");
  const full = readFileSync(join(content, "public/llms-full.txt"), "utf8");
  expect(full).toContain("# Getting started");
  expect(full).not.toMatch(/<!-- region/);
});

test("a path that does not exist gets the page that says so, not an empty response", () => {
  const { assets } = JSON.parse(readFileSync(join(folder, "wrangler.json"), "utf8")) as {
    readonly assets: Readonly<Record<string, unknown>>;
  };
  expect(assets).toMatchObject({ not_found_handling: "404-page" });
});

describe("the MCP server of the documentation", () => {
  test.each(bothEras)("finds pages and returns them to clients of %s", async (revision) => {
    const [near, far] = createInMemoryTransports();
    await docsServer(listedPages(() => {}).listed).connect(far);
    await using client = new Client({ name: "reader", version: "1.0.0" }, { revisions: [revision] });
    const session = await client.connect(near);
    const found = await session.callTool({ name: "search", arguments: { query: "cancel TIMEOUT" } });
    const [first] = (found.structuredContent as { pages: { path: string; excerpt: string }[] }).pages;
    expect(first?.excerpt.toLowerCase()).toContain("timeout");
    const page = await session.callTool({ name: "page", arguments: { path: first?.path } });
    expect(page.content[0]).toMatchObject({ text: expect.stringMatching(/^# /) as string });
    const wrong = await session.callTool({ name: "page", arguments: { path: "guide/nothing" } });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("search returns paths") as string }],
    });
  });

  test("is a part of the site as a Worker, which serves the other files itself", async () => {
    const pages = JSON.stringify(listedPages(() => {}).listed.slice(0, 3));
    const env = {
      HOST: "tenon.dev",
      ASSETS: {
        fetch: (request: Request | URL): Promise<Response> => {
          const { pathname } = new URL(request instanceof Request ? request.url : request);
          return Promise.resolve(new Response(pathname === "/pages.json" ? pages : `file ${pathname}`));
        },
      },
    };
    expect(await (await worker.fetch(new Request("https://tenon.dev/a.css"), env)).text()).toBe(
      "file /a.css",
    );
    const transport = new StreamableClientTransport("https://tenon.dev/mcp", {
      fetch: (input, init) => worker.fetch(new Request(input, init), env),
    });
    await using client = new Client({ name: "reader", version: "1.0.0" });
    const session = await client.connect(transport);
    expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["page", "search"]);
  });
});

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  let browser: Browser;
  let site: Site;
  const problems: string[] = [];

  beforeAll(async () => {
    const program = join(here.resolve("vitepress/package.json"), "../bin/vitepress.js");
    const env = { ...process.env, TENON_SITE: "sample", NO_COLOR: "1" };
    await promisify(execFile)(process.execPath, [program, "build"], { cwd: folder, env });
    site = await serveBuilt();
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  async function open(path: string, width: number, colorScheme: "light" | "dark"): Promise<Page> {
    const context = await openContext(browser, {
      viewport: { width, height: 800 },
      colorScheme,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => problems.push(`${path}: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") {
        problems.push(`${path}: ${message.text()}`);
      }
    });
    await page.goto(`${site.origin}${path}`, { waitUntil: "networkidle" });
    // The page is alive when its switch of the theme has a name.
    await page.locator('.VPSwitchAppearance[title^="Switch"]').first().waitFor({ state: "attached" });
    return page;
  }

  test.each(["/", "/guide/", "/guide/tools", "/guide/migrating", "/guide/inspector", "/playground", "/404"])(
    "%s has no fault for a screen reader, fits a width of 390 px, and stays within its budget of scripts",
    async (path) => {
      for (const [width, scheme] of [
        [1280, "light"],
        [390, "dark"],
      ] as const) {
        const page = await open(path, width, scheme);
        await page.addScriptTag({ content: readFileSync(here.resolve("axe-core/axe.min.js"), "utf8") });
        const violations = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            axe: {
              run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
            };
          };
          const { violations: found } = await axe.run({
            runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
          });
          return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        });
        expect(violations).toEqual([]);
        const overflow = await page.evaluate<number>(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect(overflow).toBe(0);
        const scripts = await page.evaluate(() =>
          performance
            .getEntriesByType("resource")
            .map(({ name }) => new URL(name).pathname)
            .filter((name) => name.endsWith(".js")),
        );
        // The editor of the playground is loaded after the page.
        const bytes = scripts
          .filter((name) => !name.includes("/chunks/editor."))
          .map((name) => gzipSync(readFileSync(join(dist, name))).length);
        expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(maxScriptBytes);
        await page.context().close();
      }
      expect(problems).toEqual([]);
    },
  );

  test("a person with a keyboard alone searches, copies a page as Markdown, and filters its tables", async () => {
    const page = await open("/guide/migrating", 1280, "light");
    await page.keyboard.press("/");
    await page.locator(".VPLocalSearchBox input").waitFor();
    await page.keyboard.type("elicit");
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    await page.keyboard.press("Escape");

    const copy = page.getByRole("button", { name: "Copy as Markdown" });
    await copy.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toMatch(/^# Migrating/);

    const rows = page.locator(".vp-doc table tbody tr:visible");
    const all = await rows.count();
    await page.getByLabel("Filter the tables").focus();
    await page.keyboard.type("elicit");
    await page.getByText(/^\d+ rows$/).waitFor();
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await rows.count()).toBeLessThan(all);
    expect(problems).toEqual([]);
  });

  test("a person with a keyboard alone runs a program in both versions, sees its messages, and shares it", async () => {
    const page = await open("/playground", 1280, "light");
    const output = page.getByRole("log", { name: "Output" });
    const messages = page.frameLocator("iframe").getByRole("listbox", { name: "Messages" });
    const call = messages.getByRole("option", { name: /to the server.*tools\/call greet/ }).first();
    await output.getByText("Hello, you!").waitFor();
    await call.getByText("✓ ok").waitFor();
    await messages.getByText("server/discover").first().waitFor();

    await page.getByLabel("Protocol version").focus();
    await page.keyboard.press("ArrowDown");
    await messages.getByText("initialize", { exact: true }).first().waitFor();
    await output.getByText("Hello, you!").waitFor();

    await page.getByLabel("Program", { exact: true }).last().focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type('console.log("mine"); throw new TypeError("no");');
    await page.keyboard.press("Control+Enter");
    await output.getByText("TypeError: no").waitFor();
    await output.getByText("mine").waitFor();
    await page.getByRole("button", { name: "Copy link" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The link is copied.").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(problems).toEqual([]);

    // A program of a stranger waits until the person runs it, and reaches nothing of the site.
    const other = await open(new URL(link).pathname + new URL(link).hash, 1280, "dark");
    await other.getByText("This program came with the link. Read it before you run it.").waitFor();
    expect(other.frames()).toHaveLength(1);
    await other.getByRole("button", { name: "Run" }).press("Enter");
    await other.getByRole("log", { name: "Output" }).getByText("TypeError: no").waitFor();
    expect(await other.locator("iframe").getAttribute("sandbox")).toBe("allow-scripts");
    expect(problems).toEqual([]);
  });

  test("the frame of the playground runs nothing where it would have the origin of the site", async () => {
    const context = await openContext(browser);
    const page = await context.newPage();
    await page.goto(`${site.origin}/playground/frame.html`);
    await page.getByRole("button", { name: "Timeline" }).waitFor();
    const title = await page.evaluate<string>(`(async () => {
      const heard = new Promise((resolve) => addEventListener("message", resolve));
      postMessage({ run: "document.title = 'taken'" }, "*");
      await heard;
      await import(URL.createObjectURL(new Blob(["export {}"], { type: "text/javascript" })));
      return document.title;
    })()`);
    expect(title).not.toBe("taken");
    await context.close();
  });
});
