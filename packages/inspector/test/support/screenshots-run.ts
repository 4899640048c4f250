// Draws the views of the page for the documentation: pnpm --filter @tenon/inspector run pictures
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import type { LiveSource } from "@tenon/inspector";
import { Server } from "@tenon/mcp";
import { startChromium, type Page } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";

import { demoServer } from "./demo-server.ts";
import { fillPage, openInspector, openSource, viewKey, viewNames } from "./open.ts";
import { serve } from "./serve.ts";

const folder = join(import.meta.dirname, "../../../../docs/images/inspector");
const size = { width: 1120, height: 640 };
const schemes = ["light", "dark"] as const;

async function memorySource(server: Server, label: string): Promise<LiveSource> {
  const [transport, there] = createInMemoryTransports();
  await server.connect(there);
  return { kind: "live", label, transport };
}

const shoot = (page: Page, name: string, scheme: string): Promise<unknown> =>
  page.screenshot({ path: join(folder, `${name.toLowerCase().replaceAll(/\W+/g, "-")}-${scheme}.png`) });

/** What has to be done in a view before it is drawn. */
const prepare: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  Try: async (page) => {
    await page.getByRole("button", { name: "Stations" }).first().click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("✓ matches the output schema").waitFor();
  },
  Timeline: async (page) => {
    await page.getByRole("option").filter({ hasText: "forecast" }).last().click();
    await page.getByRole("region", { name: "tools/call as JSON" }).waitFor();
  },
  Apps: async (page) => {
    await page.getByRole("button", { name: "Call the tool and show the view" }).click();
    const view = page.frameLocator("iframe[title='View of map']").frameLocator("iframe");
    await view.getByText("The sky over Oslo is clear.").waitFor();
    await view.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("tools/call, done").waitFor();
    // Keys belong to the view while the focus is in its frame.
    await page.getByRole("button", { name: "Load the view only" }).focus();
  },
  Skills: async (page) => {
    await page.getByRole("button", { name: /^Read SKILL\.md/ }).click();
    await page.getByText(/^Size and digest are as listed/).waitFor();
  },
};

mkdirSync(folder, { recursive: true });
await using browser = await startChromium();
await using opened = await openInspector(browser, await demoServer());
const { page } = opened;
await page.setViewportSize(size);
await fillPage(opened);
await page.keyboard.press("3");
await page.getByRole("button", { name: "Archive" }).click();
await page.getByRole("button", { name: "Send", exact: true }).click();
await page.getByText("Archived 40 years.").waitFor();
await page.keyboard.press("6");
await page.getByLabel("URI of a resource to watch").fill("weather://stations");
await page.getByRole("button", { name: "Watch", exact: true }).click();
await page.getByRole("button", { name: "Stop watching weather://stations" }).waitFor();
await page.keyboard.press("Escape");
for (const colorScheme of schemes) {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  for (const [index, name] of viewNames.entries()) {
    await page.locator("body").press(viewKey(index));
    await page.getByRole("main", { name }).waitFor();
    await prepare[name]?.(page);
    await shoot(page, name, colorScheme);
  }
}
await page.locator("body").press("3");
await page.getByRole("button", { name: "Radar" }).click();
await page.getByRole("button", { name: "Send", exact: true }).click();
await page.getByRole("img", { name: "Picture of the server" }).waitFor();
for (const colorScheme of schemes) {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await shoot(page, "Result", colorScheme);
}

// Two servers and a chat.
const clock = new Server({ name: "clock", version: "1.0.0" });
clock.addTool({ name: "time", title: "Time of day" }, () => "Noon");
await using several = await openSource(browser, await memorySource(await demoServer(), "node weather.js"), {
  model: {
    name: "openai:gpt-5",
    respond: ({ messages }) =>
      Promise.resolve({
        text: messages.at(-1)?.role === "tool" ? "It rains **most at Tryvann**, 9.4 mm." : "",
        calls:
          messages.at(-1)?.role === "tool"
            ? []
            : [{ id: "1", name: "stations", arguments: { city: "Oslo" } }],
        usage: { input: 1240, output: 61 },
      }),
  },
  servers: {
    list: () =>
      Promise.resolve([{ id: "1", name: "clock", label: "node clock.js", origin: "Claude Desktop" }]),
    open: () => memorySource(clock, "node clock.js"),
  },
});
await several.page.setViewportSize(size);
await several.page.getByRole("button", { name: /^clock node clock/ }).click();
await several.page.getByRole("button", { name: /^Time of day/ }).waitFor();
await several.page.locator("body").press("n");
await several.page.locator("body").press("a");
for (const text of ["Where does it rain most?", "And tomorrow?"]) {
  await several.page.getByLabel("Message to the model").fill(text);
  await several.page.keyboard.press("Enter");
  await several.page.getByRole("button", { name: "Allow this call" }).waitFor();
  if (text.startsWith("Where")) {
    await several.page.getByRole("button", { name: "Allow this call" }).click();
    await several.page.getByText("9.4 mm.").waitFor();
  }
}
for (const colorScheme of schemes) {
  await several.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await shoot(several.page, "Chat", colorScheme);
}

const server = await demoServer();
await using served = await serve(server, { allowedOrigins: ["https://app.example"] });
await using remote = await openSource(browser, {
  kind: "live",
  label: served.url,
  address: { url: served.url },
  transport: ({ fetch }) => new StreamableClientTransport(served.url, { fetch, eras: false }),
});
await remote.page.setViewportSize(size);
for (const colorScheme of schemes) {
  await remote.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await remote.page.locator("body").press("8");
  await remote.page.getByRole("button", { name: "Check" }).click();
  const section = remote.page.getByRole("region", { name: "What a browser would see" });
  await section.getByText("can use this server").waitFor();
  await section.scrollIntoViewIfNeeded();
  await shoot(remote.page, "CORS", colorScheme);
  await remote.page.locator("body").press("3");
  await remote.page.getByRole("button", { name: "Forecast" }).click();
  await remote.page.getByLabel("city").fill("");
  await remote.page.keyboard.press("Control+Enter");
  await remote.page.keyboard.press("Escape");
  await shoot(remote.page, "Try with a problem", colorScheme);
}
