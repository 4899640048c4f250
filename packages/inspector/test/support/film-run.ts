// Makes the moving picture of the inspector for README: pnpm --filter @tenon/inspector run pictures
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openPage, startChromium, type Page } from "@tenon/test-support/chromium";

import { animatedWebp } from "./animated-webp.ts";
import { demoServer } from "./demo-server.ts";
import { createFilm } from "./film.ts";
import { openInspector } from "./open.ts";

const size = { width: 960, height: 540 };
const maxBytes = 500 * 1024;
const folder = join(import.meta.dirname, "../../../../docs/images");

/** Types as a person does, with a picture for each few characters. */
async function type(page: Page, text: string, take: (ms: number) => Promise<void>): Promise<void> {
  for (const part of text.match(/.{1,3}/g) ?? []) {
    await page.keyboard.type(part);
    await take(220);
  }
}

await using browser = await startChromium();
const encoder = await openPage(browser, "about:blank");
await using opened = await openInspector(browser, await demoServer());
const { page } = opened;
await page.setViewportSize(size);
await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
const film = createFilm(page, encoder);
await film.take(1200);

await page.keyboard.press("3");
await page.getByRole("button", { name: "Forecast" }).click();
await page.getByLabel("city").waitFor();
await film.take(900);
await page.getByLabel("city").focus();
await type(page, "Oslo", film.take);
await page.keyboard.press("Control+Enter");
await page.getByText("no output schema").waitFor();
await page.getByRole("region", { name: "Result" }).scrollIntoViewIfNeeded();
await film.take(1800);

await page.getByRole("button", { name: "Order an umbrella" }).click();
await page.locator("body").press("Control+Enter");
await page.getByLabel("Address").waitFor();
await film.take(1200);
await page.getByLabel("Address").focus();
await type(page, "Main Street 1", film.take);
await page.getByRole("button", { name: "Send the values" }).click();
await page.getByText("accept Main Street 1").waitFor();
await film.take(1200);

await page.getByRole("button", { name: "Radar" }).click();
await page.locator("body").press("Control+Enter");
await page.getByRole("img", { name: "Picture of the server" }).waitFor();
await film.take(2200);

await page.locator("body").press("1");
await page.getByRole("option").filter({ hasText: "order" }).first().waitFor();
await film.take(1200);
await page.getByRole("option").filter({ hasText: "order" }).last().click();
await page.getByRole("region", { name: "tools/call as JSON" }).waitFor();
await film.take(2200);
await page.keyboard.press("Escape");
await page.keyboard.press("2");
await page.getByRole("main", { name: "Waterfall" }).waitFor();
await film.take(2600);

const picture = animatedWebp(film.frames, size);
if (picture.length > maxBytes) {
  throw new Error(`Expected a picture of at most ${maxBytes} bytes; got ${picture.length}.`);
}
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "inspector.webp"), picture);
console.log(`inspector.webp: ${film.frames.length} frames, ${(picture.length / 1024).toFixed(0)} KiB`);
