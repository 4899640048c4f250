import type { LiveSource } from "@tenon/inspector";
import { Server } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import { chromiumPath, startChromium, type Browser } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { logIn } from "./support/browser.ts";
import { openSource } from "./support/open.ts";

let browser: Browser;

describe.skipIf(chromiumPath === undefined)(
  "with the lines of all servers, in Chromium (skipped without Chromium)",
  () => {
    beforeAll(async () => {
      browser = await startChromium();
    });

    afterAll(async () => {
      await browser.close();
    });

    test("a request is sent again to its own server, changed for it, and saved as its test", async () => {
      const called: string[] = [];
      const sourceOf = async (label: string): Promise<LiveSource> => {
        const server = new Server({ name: label, version: "1.0.0" });
        server.addTool({ name: "greet" }, () => {
          called.push(label);
          return "Hello";
        });
        const [transport, there] = createInMemoryTransports();
        await server.connect(there);
        return { kind: "live", label, transport };
      };
      await using opened = await openSource(browser, await sourceOf("first"), {
        servers: {
          list: () => Promise.resolve([{ id: "1", name: "second", label: "second", origin: "here" }]),
          open: () => sourceOf("second"),
        },
      });
      const { page, errors } = opened;
      await page.getByRole("button", { name: "Try" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("Hello").first().waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("h");
      await page.getByRole("button", { name: /^second/ }).click();
      const shown = page.getByRole("region", { name: "Open servers" }).locator("[aria-current]");
      await shown.getByText("second").waitFor();
      await page.getByRole("button", { name: "Timeline" }).click();
      await page.getByRole("button", { name: "All servers" }).click();
      await page
        .getByRole("option")
        .filter({ hasText: /tools\/call/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Send again" }).click();
      await page.getByText("tools/call was sent again.").waitFor();
      await expect.poll(() => called).toEqual(["first", "first"]);

      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save as a test" }).click();
      expect((await download).suggestedFilename()).toBe("greet.test.ts");
      await page.getByRole("button", { name: "Change and send" }).click();
      await shown.getByText("first").waitFor();
      await page.getByRole("button", { name: "Send", exact: true }).waitFor();

      await page.getByRole("button", { name: "second", exact: false }).first().click();
      await page.getByRole("button", { name: "Remove first" }).click();
      await shown.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Timeline" }).click();
      await page
        .getByRole("option")
        .filter({ hasText: /tools\/call/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Change and send" }).click();
      await page.getByText("The server was removed.").waitFor();
      await page.getByRole("button", { name: "Try" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect.poll(() => called).toEqual(["first", "first", "second"]);
      expect(errors).toEqual([]);
    });
  },
);

test("an inspector closes while the list of its servers is read", async () => {
  const reading = deferred();
  const down: LiveSource = {
    kind: "live",
    label: "down",
    transport: { connect: () => Promise.reject(new Error("down")) },
  };
  let reads = 0;
  const browser = await logIn({
    source: down,
    servers: {
      list: () => Promise.resolve([]),
      open() {
        if (reads++ === 0) {
          return Promise.resolve(down);
        }
        reading.resolve();
        return new Promise<LiveSource>(() => {});
      },
    },
  });
  const { server } = (await browser.act({ do: "open", to: { id: "a" } })) as { server: string };
  await browser.state(({ source: { phase } }) => phase === "failed", server);
  void browser.act({ do: "connect", server });
  await reading.promise;
  await browser.inspector.close();
});
