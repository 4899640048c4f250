import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { ChatModel, LiveSource } from "@tenon/inspector";
import { Server } from "@tenon/mcp";
import { chromiumPath, startChromium, type Browser, type Page } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { demoServer } from "./support/demo-server.ts";
import { choose, press, tabTo } from "./support/keys.ts";
import { openSource, type Opened } from "./support/open.ts";

let browser: Browser;

async function sourceOf(server: Server, label: string): Promise<LiveSource> {
  const [transport, there] = createInMemoryTransports();
  await server.connect(there);
  return { kind: "live", label, transport };
}

/** A model that calls a tool once for each message, and then says what it got. */
const model: ChatModel = {
  name: "openai:test",
  respond({ messages }) {
    const last = messages.at(-1);
    const usage = { input: 10, output: 2 };
    return Promise.resolve(
      last?.role === "tool"
        ? { text: `**${last.result.isError === true ? "It was refused" : "Here it is"}**`, calls: [], usage }
        : {
            text: "",
            usage,
            calls: [{ id: "1", name: "stations", arguments: { city: "Oslo", _meta: "<img src=x>" } }],
          },
    );
  },
};

/** An inspector with the demo server, a second server in its list, and a model. */
async function openAll(): Promise<Opened> {
  const other = new Server({ name: "clock", version: "1.0.0" });
  other.addTool({ name: "time", title: "Time of day" }, () => "Noon");
  return openSource(browser, await sourceOf(await demoServer(), "node weather.js"), {
    model,
    servers: {
      list: () =>
        Promise.resolve([{ id: "1", name: "clock", label: "node clock.js", origin: "Claude Desktop" }]),
      open: () => sourceOf(other, "node clock.js"),
    },
  });
}

/** Whether a page is wider than the window, or has a control outside of it. */
async function clipped(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`
    ["html", "main", "header", ".chat", ".talk", ".wire", ".page"].filter((at) => {
      const found = document.querySelector(at);
      return found !== null && found.scrollWidth > found.clientWidth;
    })`);
}

describe.skipIf(chromiumPath === undefined)(
  "by keyboard alone, in Chromium (skipped without Chromium)",
  () => {
    beforeAll(async () => {
      browser = await startChromium();
    });

    afterAll(async () => {
      await browser.close();
    });

    test("a person calls a tool, sees a picture, answers a question, and goes from one server to another and back", async () => {
      await using opened = await openAll();
      const { page, errors } = opened;
      const result = page.getByRole("region", { name: "Result" }).first();
      await page.getByRole("button", { name: /^Order an umbrella/ }).waitFor();
      await tabTo(page, /^Order an umbrella/);
      await press(page, "Enter", "Control+Enter");
      await page.getByRole("region", { name: "order asks for values" }).waitFor();
      await tabTo(page, "Address");
      await page.keyboard.type("Main Street 1");
      await choose(page, "Send the values");
      await result.getByText("accept Main Street 1").waitFor();
      await press(page, "Escape", "/");
      await page.keyboard.type("radar");
      await tabTo(page, /^Radar/);
      await press(page, "Enter", "Control+Enter");
      await result.getByRole("img", { name: "Picture of the server" }).waitFor();
      await press(page, "Escape", "1", "/");
      await page.keyboard.type("tool:order");
      await press(page, "Enter", "h");

      await choose(page, /^clock node clock.js/);
      const servers = page.getByRole("region", { name: "Open servers" });
      await servers.getByRole("button", { name: /^clock/ }).waitFor();
      await page.getByRole("button", { name: /^Time of day/ }).waitFor();
      await tabTo(page, /^Time of day/);
      await press(page, "Enter", "Control+Enter");
      await result.getByText("Noon").waitFor();
      await press(page, "Escape", "1");
      expect(await page.locator("#filter").inputValue()).toBe("");
      await page.getByRole("option").filter({ hasText: "time" }).first().waitFor();
      expect(await page.getByRole("option").filter({ hasText: "order" }).count()).toBe(0);

      await press(page, "n");
      await page.getByText(/^\d+ of \d+ lines$/).waitFor();
      expect(await page.locator("#filter").inputValue()).toBe("tool:order");
      expect(await servers.locator("[aria-current]").textContent()).toContain("weather");
      await tabTo(page, "All servers");
      await press(page, "Enter", "Escape", "p", "h");
      await servers.getByRole("button", { name: "Remove clock" }).waitFor();
      await choose(page, "Remove clock");
      await servers.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "weather 1.2.0" }).waitFor();
      expect(errors).toEqual([]);
    });

    test("the focus goes to what a key opens, to the question of a call and to its result, and a key for the call is no consent", async () => {
      const server = new Server({ name: "bakery", version: "1.0.0" });
      const text = { type: "string" } as const;
      server.addTool({ name: "bake", input: { type: "object", properties: {} } as const }, async (_, ctx) => {
        const requestedSchema = { type: "object", properties: { hot: { ...text, default: "yes" } } } as const;
        const { action } = await ctx.elicit({ message: "Hot?", requestedSchema });
        return `Baked: ${action}`;
      });
      server.addTool(
        { name: "greet", input: { type: "object", properties: { name: text }, required: ["name"] } as const },
        ({ name }) => `Hello ${name}`,
      );
      await using opened = await openSource(browser, await sourceOf(server, "node bakery.js"));
      const { page, errors } = opened;
      const result = page.getByRole("region", { name: "Result" });
      const focused = page.locator(":focus");
      await page.getByRole("button", { name: "greet" }).waitFor();
      await press(page, "3");
      await focused.and(page.getByRole("button", { name: "bake" })).waitFor();
      await page.getByText("The schema names no fields to fill in.").waitFor();
      await press(page, "ArrowDown", "Enter");
      await focused.and(page.getByLabel("name")).waitFor();
      await page.keyboard.type("Ada");
      await press(page, "Control+Enter");
      await result.getByText("Hello Ada").waitFor();

      await press(page, "Control+k");
      await page.keyboard.type("bake");
      await press(page, "Enter", "Control+Enter");
      const hot = page.getByRole("region", { name: "bake asks for values" }).getByLabel("hot");
      await focused.and(hot).waitFor();
      await press(page, "Control+Enter");
      await page.getByText("This call needs your response first.").waitFor();
      await focused.and(hot).waitFor();
      await press(page, "Control+Enter");
      await result.getByText("Baked: accept").waitFor();
      await focused.and(result).waitFor();

      await press(page, "h");
      await tabTo(page, /^greet/);
      await press(page, "Enter");
      await focused.and(page.getByLabel("name")).waitFor();
      expect(errors).toEqual([]);
    });

    test("a person chats, allows and refuses calls, sees their results and the wire beside them, at every width", async () => {
      await using opened = await openAll();
      const { page, errors } = opened;
      await page.getByRole("button", { name: /^Radar/ }).waitFor();
      await choose(page, /^clock node clock.js/);
      await page.getByRole("button", { name: /^Time of day/ }).waitFor();
      await press(page, "n", "a");
      await page.getByText("Each call waits until you allow it.").waitFor();
      await tabTo(page, "Message to the model");
      await page.keyboard.type("Which stations?");
      await press(page, "Enter");
      const ask = page.getByRole("alert", { name: "The model asks to call stations" });
      await ask.getByText("<img src=x>").waitFor();
      await choose(page, "Allow this call");
      await page.getByText("Here it is", { exact: true }).waitFor();
      await page.getByRole("row", { name: "Tryvann 9.4 false" }).waitFor();
      const wire = page.getByRole("region", { name: "On the wire" });
      await wire.getByText("tools/call").first().waitFor();

      await page.getByLabel("Message to the model").focus();
      await page.keyboard.type("Again");
      await press(page, "Enter");
      await ask.waitFor();
      for (const width of [390, 640, 1120]) {
        await page.setViewportSize({ width, height: 700 });
        expect([width, await clipped(page)]).toEqual([width, []]);
      }
      await page.evaluate(
        readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
      );
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const violations = await page.evaluate<readonly unknown[]>(
          "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map(({ id, nodes }) => [id, nodes[0]?.html.slice(0, 200)]))",
        );
        expect([colorScheme, violations]).toEqual([colorScheme, []]);
      }
      await choose(page, "Refuse");
      await page.getByText("It was refused").waitFor();
      await page.getByText("not called").waitFor();
      await choose(page, "New chat");
      await page.getByText("Each call waits until you allow it.").waitFor();
      expect(errors).toEqual([]);
    });
  },
);
