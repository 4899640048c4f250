// Draws the views of the page for the documentation: tsx test/support/screenshots-run.ts
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { startChromium } from "@tenon/test-support/chromium";

import { demoServer } from "./demo-server.ts";
import { fillPage, openInspector, viewNames } from "./open.ts";

const folder = join(import.meta.dirname, "../../../../docs/images/inspector");
mkdirSync(folder, { recursive: true });
await using browser = await startChromium();
await using opened = await openInspector(browser, demoServer());
const { page } = opened;
await page.setViewportSize({ width: 1120, height: 640 });
await fillPage(opened);
await page.keyboard.press("6");
await page.getByLabel("URI of a resource to watch").fill("weather://stations");
await page.getByRole("button", { name: "Watch", exact: true }).click();
await page.getByRole("button", { name: "Stop watching weather://stations" }).waitFor();
await page.keyboard.press("Escape");
for (const colorScheme of ["light", "dark"] as const) {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  for (const [index, name] of viewNames.entries()) {
    await page.locator("body").press(String(index + 1));
    await page.getByRole("main", { name }).waitFor();
    if (name === "Timeline") {
      await page.getByRole("option").filter({ hasText: "forecast" }).last().click();
      await page.getByRole("region", { name: "tools/call as JSON" }).waitFor();
    }
    const file = `${name.toLowerCase().replaceAll(/\W+/g, "-")}-${colorScheme}.png`;
    await page.screenshot({ path: join(folder, file) });
  }
}
