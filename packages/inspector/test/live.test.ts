import type { LiveSource } from "@tenon/inspector";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { chromiumPath, startChromium, type Browser } from "@tenon/test-support/chromium";
import { CommandTransport } from "@tenon/transports-stdio";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { askingServer } from "./support/asking-server.ts";
import { openSource } from "./support/open.ts";
import { programCommand, serve } from "./support/serve.ts";

let browser: Browser;

/** A live source, and what ends with it. */
type Source = LiveSource & Partial<AsyncDisposable>;

async function httpSource(sessions?: false): Promise<Source> {
  const served = await serve(askingServer(), sessions === false ? { sessions } : {});
  return {
    kind: "live",
    label: served.url,
    address: { url: served.url },
    transport: ({ fetch }) => new StreamableClientTransport(served.url, { fetch, eras: false }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

async function stdioSource(): Promise<Source> {
  const command = await programCommand("asking-program.ts");
  return {
    kind: "live",
    label: "asking-program.ts",
    address: command,
    transport: () => new CommandTransport(command),
  };
}

describe.skipIf(chromiumPath === undefined)("live sources, in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  describe.each([
    ["stdio", legacyRevision, stdioSource],
    ["stdio", modernRevision, stdioSource],
    ["HTTP with a session", legacyRevision, () => httpSource()],
    ["HTTP without sessions", modernRevision, () => httpSource(false)],
  ] as const)("over %s, %s", (_, revision, createSource) => {
    test("the person is the model, names folders, and sees a watched resource change", async () => {
      const source = await createSource();
      await using opened = await openSource(browser, { ...source, client: { revisions: [revision] } });
      const { page, errors } = opened;
      await page.getByText(revision).first().waitFor();
      const call = async (tool: string): Promise<void> => {
        await page.getByRole("button", { name: "Try" }).click();
        await page.getByRole("button", { name: tool, exact: true }).click();
        await page.getByRole("button", { name: "Send", exact: true }).click();
      };
      const result = page.getByRole("region", { name: "Result" });

      await call("translate");
      await result.getByRole("list", { name: "Messages so far" }).getByText("in Norwegian").waitFor();
      await page.getByLabel("Your message as the model").fill("Hei!");
      await page.getByRole("button", { name: "Send the message" }).click();
      await result.getByText("translated: Hei!").waitFor();
      await page.getByRole("button", { name: "Input requests" }).click();
      await page.getByRole("heading", { name: "Input requests", exact: true }).waitFor();
      await page.getByText("The server asks nothing").waitFor();
      await page.getByLabel("URI of a root").fill("file:///work");
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByRole("button", { name: "Remove file:///work" }).waitFor();

      await call("folders");
      await result.getByText("folders: file:///work").waitFor();

      await page.getByRole("button", { name: "Subscriptions" }).click();
      await page.getByLabel("URI of a resource to watch").fill("notes://1");
      await page.getByRole("button", { name: "Watch", exact: true }).click();
      const changes = page.getByRole("list", { name: "Changes" });
      await changes
        .getByText(/subscri/)
        .first()
        .waitFor();
      await expect
        .poll(async () => {
          await call("edit");
          await result.getByText("edited").waitFor();
          await page.getByRole("button", { name: "Subscriptions" }).click();
          return changes.getByText("notifications/resources/updated").count();
        })
        .toBeGreaterThan(0);
      await page.getByRole("button", { name: "Stop watching notes://1" }).click();
      await page.getByRole("button", { name: "Stop watching notes://1" }).waitFor({ state: "detached" });
      expect(errors).toEqual([]);
      await source[Symbol.asyncDispose]?.();
    });
  });

  test.each([
    [legacyRevision, () => httpSource()],
    [modernRevision, () => httpSource(false)],
    [modernRevision, stdioSource],
  ] as const)("a tool that a server of %s adds is shown at once", async (revision, createSource) => {
    const source = await createSource();
    await using opened = await openSource(browser, { ...source, client: { revisions: [revision] } });
    const { page, errors } = opened;
    await page.getByText(revision).first().waitFor();
    await page.getByRole("button", { name: "Try" }).click();
    const result = page.getByRole("region", { name: "Result" });
    // A change before the server knows of the subscription is not announced.
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "grow", exact: true }).click();
        await page.getByRole("button", { name: "Send", exact: true }).click();
        await result.getByText("one more").waitFor();
        return page.getByRole("button", { name: /^grown-/ }).count();
      })
      .toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await source[Symbol.asyncDispose]?.();
  });

  test("a legacy server without sessions is called and read", async () => {
    const source = await httpSource(false);
    await using opened = await openSource(browser, { ...source, client: { revisions: [legacyRevision] } });
    const { page, errors } = opened;
    await page.getByText(legacyRevision).first().waitFor();
    await page.getByRole("button", { name: "Try" }).click();
    for (const [target, text] of [
      ["edit", "edited"],
      ["note notes://1", "An empty text."],
    ] as const) {
      await page.getByRole("button", { name: target, exact: true }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText(text).waitFor();
    }
    expect(errors).toEqual([]);
    await source[Symbol.asyncDispose]?.();
  });

  test("a chosen call is saved as a test by the keyboard", async () => {
    const source = await httpSource();
    await using opened = await openSource(browser, source);
    const { page } = opened;
    await page.keyboard.press("3");
    await page.getByRole("button", { name: "edit", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Enter");
    await page.getByText("edited").waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("/");
    await page.locator("#filter:focus").waitFor();
    await page.keyboard.type("tool:edit kind:response");
    await page.getByText("1 of ").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("j");
    await page.getByRole("button", { name: "Save as a test s" }).waitFor();
    const download = page.waitForEvent("download");
    await page.keyboard.press("s");
    expect((await download).suggestedFilename()).toBe("edit.test.ts");
    await source[Symbol.asyncDispose]?.();
  });

  test("the bar of a call over HTTP has its phases, and a header of the person is sent", async () => {
    const source = await httpSource();
    await using opened = await openSource(browser, source);
    const { page, errors } = opened;
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByText("Metadata, time limit and headers").click();
    await page.getByLabel("Name of a header").fill("X-Tenant");
    await page.getByLabel("Value of the header").fill("blue");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: "Remove the header x-tenant" }).waitFor();
    await page.getByRole("button", { name: "edit", exact: true }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("edited").waitFor();
    await page.getByRole("button", { name: "Waterfall" }).click();
    const bar = page.getByRole("option").filter({ hasText: "tools/call" });
    expect(await bar.textContent()).toMatch(/queued [\d.]+ m?s, waiting [\d.]+ m?s/);
    await page.getByRole("button", { name: "Timeline" }).click();
    await page.getByRole("option").filter({ hasText: "POST" }).last().click();
    await page
      .getByRole("region", { name: /as JSON$/ })
      .getByText('"x-tenant": "blue"')
      .waitFor();
    await page.getByRole("heading", { name: "The whole exchange" }).waitFor();
    expect(errors).toEqual([]);
    await source[Symbol.asyncDispose]?.();
  });
});
