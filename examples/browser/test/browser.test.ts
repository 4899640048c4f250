import { join } from "node:path";

import { listen } from "@tenon/sdk/node";
import { chromiumPath, openPage, serveSite, startChromium } from "@tenon/test-support/chromium";
import { build } from "esbuild";
import { expect, test } from "vitest";

import { createPriceHandler } from "../src/server.ts";

/** The page's program with the built packages, as a bundler of a page uses them. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../src/browser/main.ts")],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    target: "es2023",
  });
  return outputFiles.map(({ text }) => text).join("\n");
}

test.skipIf(chromiumPath === undefined)(
  "a page of an allowed origin calls a tool, and sees why other requests fail (skipped without Chromium)",
  async () => {
    const script = await bundle();
    const shown = async (isAllowed: boolean, token: string): Promise<string | null> => {
      const pages: Record<string, string> = { "/main.js": script };
      await using site = await serveSite(pages);
      const handler = createPriceHandler([isAllowed ? site.origin : "https://other.example"]);
      await using listening = await listen(handler, { port: 0 });
      const attributes = `data-endpoint="${listening.url.href}" data-token="${token}"`;
      pages["/"] = `<!doctype html><body ${attributes}><script type="module" src="/main.js"></script>`;
      await using browser = await startChromium();
      const page = await openPage(browser, site.origin);
      const output = page.locator("output");
      await page.waitForFunction("document.querySelector('output')?.textContent !== ''");
      return await output.textContent();
    };
    expect(await shown(true, "secret")).toBe('{"item":"tenon","euros":12}');
    expect(await shown(true, "wrong")).toBe("HTTP 401");
    expect(await shown(false, "secret")).toBe("HTTP NETWORK");
  },
);
