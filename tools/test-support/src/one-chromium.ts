import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { BrowserServer } from "playwright-core";

import { chromiumPath } from "./chromium.ts";

/**
 * One Chromium for all test files of a run (a `globalSetup` of vitest): it starts when a test
 * first asks for it, and ends with the run. Tests find it by the variable `TENON_BROWSER`. Starting
 * it takes more processor time than most files that use it.
 *
 * @returns Ends it; nothing where there is no Chromium, or where an outer run offers one.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const executablePath = chromiumPath;
  if (executablePath === undefined || process.env["TENON_BROWSER"] !== undefined) {
    return undefined;
  }
  let running: Promise<BrowserServer> | undefined;
  const start = async (): Promise<BrowserServer> => {
    const { chromium } = await import("playwright-core");
    const browser = await chromium.launchServer({ executablePath, host: "127.0.0.1" });
    // If it crashes, the next file gets another.
    browser.on("close", () => (running = undefined));
    return browser;
  };
  const door = createServer((_request, response) => {
    running ??= start();
    running.then(
      (browser) => response.end(browser.wsEndpoint()),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  process.env["TENON_BROWSER"] = `http://127.0.0.1:${(door.address() as AddressInfo).port}/`;
  return async () => {
    door.closeAllConnections();
    door.close();
    await (await running)?.close();
  };
}
