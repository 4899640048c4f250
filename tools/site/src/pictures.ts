import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { startChromium } from "@tenon/test-support/chromium";

import { root } from "./place.ts";
import { serveBuilt } from "./serve-built.ts";

/** The pages that people judge the site by. */
const pages = [
  ["home", "/"],
  ["guide", "/guide/tools"],
  ["api", "/api/@tenon/mcp/client-1"],
  ["playground", "/playground#program=elicitation"],
] as const;
const folder = join(root, "tools/site/pictures");

await using site = await serveBuilt();
const browser = await startChromium();
mkdirSync(folder, { recursive: true });
for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 390]) {
    const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    for (const [name, path] of pages) {
      await page.goto(`${site.origin}${path}`, { waitUntil: "networkidle" });
      if (name === "playground") {
        await page.getByText("The program has ended.").waitFor();
        await page.frameLocator("iframe").getByText("The connection ended.").first().waitFor();
      }
      const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 80 });
      writeFileSync(join(folder, `${name}-${colorScheme}-${width}.webp`), Buffer.from(data, "base64"));
    }
    await context.close();
  }
}
await browser.close();
