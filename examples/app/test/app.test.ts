import { join } from "node:path";

import { appHost, modelTools } from "@tenon/sdk/apps/host";
import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import {
  bundleForBrowser,
  chromiumPath,
  openPage,
  serveSite,
  startChromium,
} from "@tenon/test-support/chromium";
import { expect, test } from "vitest";

import { viewHtml } from "../src/view-html.ts";

test.each([true, false])("the poll is served to clients with views (%s)", async (hasViews) => {
  const program = join(import.meta.dirname, "../dist/server.js");
  await using client = new Client({ name: "host", version: "1.0.0" });
  if (hasViews) {
    client.use(appHost());
  }
  const session = await client.connect(new CommandTransport({ command: process.execPath, args: [program] }));
  const { tools } = await session.listTools();
  expect(modelTools(tools).map(({ name }) => name)).toEqual(["lunch_poll"]);
  const { contents } = await session.readResource({ uri: "ui://polls/lunch" });
  expect(contents).toMatchObject([
    { mimeType: "text/html;profile=mcp-app", _meta: { ui: { prefersBorder: true } } },
  ]);
  expect(await session.callTool({ name: "lunch_poll" })).toMatchObject({
    content: [{ text: hasViews ? "The user sees the poll." : '{"Pizza":0,"Pasta":0,"Salad":0}' }],
    structuredContent: { votes: { Pizza: 0 } },
  });
  expect(await session.callTool({ name: "vote", arguments: { dish: "Soup" } })).toMatchObject({
    isError: true,
  });
});

test.skipIf(chromiumPath === undefined)(
  "a click votes, and the model learns of it (skipped without Chromium)",
  async () => {
    await using site = await serveSite({
      "/": `<!doctype html><body><script type="module" src="/main.js"></script>`,
      "/main.js": await bundleForBrowser(new URL("browser/host.ts", import.meta.url)),
      "/view.html": await viewHtml(),
    });
    await using browser = await startChromium();
    const page = await openPage(browser, site.origin);
    const buttons = page.frameLocator("iframe").locator("button");
    await buttons.getByText("Pasta").click();
    await buttons.getByText("Pasta: 1").click();
    await buttons.getByText("Pasta: 2").waitFor();
    expect(await buttons.allTextContents()).toEqual(["Pizza: 0", "Pasta: 2", "Salad: 0"]);
    await page.waitForFunction("contexts.length === 2");
    expect(await page.evaluate("contexts[1]")).toEqual({ votes: { Pizza: 0, Pasta: 2, Salad: 0 } });
  },
);
