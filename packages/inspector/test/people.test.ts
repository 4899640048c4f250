import type { LiveSource } from "@tenon/inspector";
import { startInspector } from "@tenon/inspector/node";
import type { Transport } from "@tenon/jsonrpc2";
import { Server, ToolError } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { bothEras } from "@tenon/test-support";
import { chromiumPath, openPage, startChromium, type Browser, type Page } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { demoServer } from "./support/demo-server.ts";
import { choose, press } from "./support/keys.ts";
import { openInspector, openSource, viewKey, viewNames } from "./support/open.ts";
import { refusing } from "./support/refusing.ts";

let browser: Browser;

/** Opens a tool in Try, and sends its request, by the keyboard. */
async function call(page: Page, tool: string): Promise<void> {
  await press(page, "Escape", "3");
  await page.getByRole("button", { name: tool }).first().press("Enter");
  await press(page, "Control+Enter");
}

describe.skipIf(chromiumPath === undefined)("for people, in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  test("results are pictures, sounds, Markdown, links that open, and tables, and the JSON is behind them", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    const result = page.getByRole("region", { name: "Result" }).first();
    await call(page, "Radar");
    await result.getByRole("img", { name: "Picture of the server" }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('main img').naturalWidth")).toBe(240);
    await result.getByRole("heading", { name: "Rain over Oslo" }).waitFor();
    const link = result.getByRole("link", { name: "the radar (radar.example)" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await expect.poll(() => page.evaluate("document.querySelector('audio').duration")).toBeCloseTo(0.2);
    await choose(page, "Read the resource");
    await result.getByText("Oslo\nBergen").waitFor();
    await result.getByRole("button", { name: "JSON", exact: true }).first().press("Enter");
    await result.getByText('"resource_link"').waitFor();

    await call(page, "Stations");
    await result.getByText("✓ matches the output schema").waitFor();
    await result.getByRole("row", { name: "Tryvann 9.4 false" }).waitFor();
    await result.getByRole("columnheader", { name: "Rain in mm" }).waitFor();

    await page.setViewportSize({ width: 1280, height: 320 });
    await call(page, "fail");
    const bottom = "document.querySelector('main .failure')?.getBoundingClientRect().bottom ?? 1000";
    await expect.poll(() => page.evaluate(bottom)).toBeLessThanOrEqual(320);
    await result.getByRole("group", { name: "Error" }).getByText("The tool reports an error.").waitFor();
    expect(errors).toEqual([]);
  });

  test("a person sees what is selected, no red before the first edit, and answers where the call was made", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await page.getByRole("heading", { name: "weather 1.2.0" }).waitFor();
    await page.getByRole("list", { name: "What the server offers" }).getByText("tools").waitFor();
    await page.getByRole("button", { name: /^Order an umbrella/ }).click();
    expect(await page.locator(".targets [aria-current]").textContent()).toContain("Order an umbrella");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const ask = page.getByRole("region", { name: "order asks for values" });
    await ask.getByLabel("Address").waitFor();
    await page.getByRole("button", { name: "Send again" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.locator("input:focus").and(ask.getByLabel("Address")).waitFor();
    expect(await page.getByRole("region", { name: "order asks for values" }).count()).toBe(1);
    await page.getByRole("button", { name: "Close the message" }).click();
    expect(await page.locator("main .problem, main [aria-invalid=true]").count()).toBe(0);
    await ask.getByLabel("Address").fill("x");
    expect(await ask.locator(".problem").count()).toBe(0);
    await ask.getByLabel("color", { exact: true }).focus();
    await ask.getByText("at least 3 characters").waitFor();
    await ask.getByRole("button", { name: "Send the values" }).click();
    const notice = page.locator(".notice");
    expect(await notice.textContent()).toMatch(/^address: /);
    await page.getByRole("button", { name: "Close the message" }).click();
    expect(await notice.textContent()).toBe("");
    await ask.getByLabel("Address").fill("Main Street 1");
    await press(page, "Escape", "4");
    expect(await ask.getByLabel("Address").inputValue()).toBe("Main Street 1");
    await ask.getByRole("button", { name: "+ Wrap it as a gift" }).click();
    await page.locator("input:focus").and(ask.getByLabel("Wrap it as a gift")).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("Your answer was sent to order.").waitFor();
    await page.getByRole("button", { name: "Show the result" }).click();
    await page.getByText("accept Main Street 1").waitFor();
    await page.getByText(/ of it at the server in 2 rounds$/).waitFor();

    await page.locator("body").press("1");
    await page.keyboard.press("/");
    await page.keyboard.type("tool:order");
    await page.getByText(/^\d+ of \d+ lines$/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(/^\d+ lines$/).waitFor();
    expect(await page.locator("#filter").inputValue()).toBe("");
    await page.locator("#filter").fill("kind:response");
    await page.getByText(/^\d+ of \d+ lines$/).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("2");
    await page.getByText("No request matches the filter").waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("listbox", { name: "Requests over time" }).waitFor();
    expect(errors).toEqual([]);
  });

  test.each(bothEras)(
    "a task has its states and its result where the call was made, over %s",
    async (revision) => {
      const server = new Server({ name: "reports", version: "1.0.0" });
      server.use(tasks({ engine: createTaskEngine() }));
      server.addTool({ name: "report", task: "required" }, async (_, ctx) => {
        const { action } = await ctx.elicit({
          message: "Really?",
          requestedSchema: { type: "object", properties: {} },
        });
        if (action !== "accept") {
          throw new ToolError("Nobody wants it.");
        }
        return `The report: ${action}`;
      });
      server.addTool({ name: "never" }, () => new Promise<never>(() => {}));
      const [transport, there] = createInMemoryTransports();
      await server.connect(there);
      await using opened = await openSource(browser, {
        kind: "live",
        label: "node reports.js",
        transport,
        client: { revisions: [revision] },
        extensions: [taskClient()],
      });
      const { page, errors } = opened;
      await call(page, "report");
      const result = page.getByRole("region", { name: "Result" }).first();
      await result.getByText("The task needs input first.").waitFor();
      await call(page, "never");
      await result.getByText("Running…").waitFor();
      expect(await page.getByRole("region", { name: /asks for values/ }).count()).toBe(0);
      await choose(page, "Cancel the call");
      await result.getByText("Cancelled").waitFor();
      await page.getByRole("button", { name: "report" }).first().press("Enter");
      await result.getByRole("region", { name: "report asks for values" }).waitFor();
      await choose(page, "Send the values");
      await result.getByText("The report: accept").waitFor();
      await result.getByText("The task is completed.").waitFor();
      await press(page, "Escape", "5");
      const card = page.getByRole("region", { name: /^Task / });
      await card.getByText("The report: accept", { exact: true }).waitFor();
      await card
        .getByRole("list", { name: /^History/ })
        .getByText("input_required")
        .first()
        .waitFor();
      expect(await card.getByRole("button", { name: "Cancel the task" }).count()).toBe(0);
      const id = (await card.locator("h3 code").textContent()) ?? "";
      expect(await page.evaluate("document.querySelector('h3 code').innerText")).toBe(id);
      await call(page, "report");
      await result.getByText("The task needs input first.").waitFor();
      await press(page, "Escape", "5");
      await page.getByRole("region", { name: "report asks for values" }).waitFor();
      await choose(page, "Decline");
      await card
        .getByText(/^(?:completed, with an error of the tool|failed)$/)
        .first()
        .waitFor();
      await press(page, "3");
      await result.getByText("✕ failed").waitFor();
      expect(errors).toEqual([]);
    },
  );

  test("no view is clipped or scrolls sideways at 390 px and at 200 % zoom, and the method is always there (WCAG 1.4.10)", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await call(page, "Stations");
    await page.getByText("✓ matches the output schema").waitFor();
    const clipped: unknown[] = [];
    for (const width of [390, 640, 768]) {
      await page.setViewportSize({ width, height: 700 });
      for (const [index, name] of viewNames.entries()) {
        await press(page, "Escape", viewKey(index));
        await page.getByRole("main", { name }).waitFor();
        const wide = await page.evaluate<string[]>(`
          ["html", "main", "header", ".call", ".page"].filter((at) => {
            const found = document.querySelector(at);
            return found !== null && found.scrollWidth > found.clientWidth;
          })`);
        const outside = await page.evaluate<number>(
          `[...document.querySelectorAll("header button, .method, .notice")].filter((one) => one.getBoundingClientRect().right > innerWidth).length`,
        );
        clipped.push(
          ...wide.map((at) => [width, name, at]),
          ...(outside > 0 ? [[width, name, outside]] : []),
        );
        const nameWidth = "document.querySelector('header .source strong').clientWidth";
        expect(await page.evaluate<number>(nameWidth)).toBeGreaterThan(40);
        if (name === "Timeline") {
          expect(await page.locator(".row .method:visible").count()).toBeGreaterThan(5);
        }
      }
    }
    expect(clipped).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("the keyboard skips the navigation, the theme is a choice, and a second tab gets a link of its own", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await page.locator("body").press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("main:focus").waitFor();
    const drawn = (): Promise<string> => page.evaluate("getComputedStyle(document.body).colorScheme");
    const background = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    await page.emulateMedia({ colorScheme: "light" });
    const light = await background();
    await choose(page, "Theme: system");
    await page.getByRole("button", { name: "Theme: light" }).waitFor();
    await press(page, "Enter");
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    expect([await drawn(), (await background()) === light]).toEqual(["dark", false]);
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("link for another tab");
    await page.keyboard.press("Enter");
    const said = page.locator(".notice");
    await expect.poll(() => said.textContent()).toMatch(/#code=\w+$/);
    const second = await openPage(browser, /http\S+$/.exec((await said.textContent()) ?? "")?.[0] ?? "");
    await second.getByText("connected", { exact: true }).waitFor();
    await second.context().close();
    const third = await openPage(browser, new URL(page.url()).origin);
    await third.getByRole("alert").getByText("opened without a link").waitFor();
    await third.context().close();
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test("a person with a keyboard alone cancels a login, logs in and out, and chooses another server", async () => {
    let isLoggedIn = false;
    let isAllowed = false;
    const server = await demoServer();
    const connect = async (): Promise<LiveSource["transport"] & object> => {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here;
    };
    const protectedSource: LiveSource = {
      kind: "live",
      label: "https://weather.example/mcp",
      address: { url: "https://weather.example/mcp" },
      transport: {
        async connect(options) {
          if (!isLoggedIn) {
            const required = { code: "NEEDS_USER", required: ["weather:read"] };
            throw Object.assign(
              new Error("The server requires it. Call login() to ask the user for it."),
              required,
            );
          }
          return refusing((await connect()) as Transport, () => !isAllowed).connect(options);
        },
      },
      login({ onEvent, signal }) {
        const running = { type: "status", status: { state: "authorizing" } };
        onEvent(running);
        onEvent(running);
        onEvent({ type: "visit", url: new URL("https://login.example/authorize") } as { type: string });
        return new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          agree = resolve;
        });
      },
      logout() {
        isLoggedIn = false;
        return Promise.resolve();
      },
    };
    let agree = (): void => {};
    await using inspector = await startInspector({
      source: protectedSource,
      servers: {
        list: () =>
          Promise.resolve([{ id: "1", name: "weather", label: "node weather.js", origin: "Claude Desktop" }]),
        open: async () => ({ kind: "live", label: "node weather.js", transport: (await connect()) as never }),
      },
    });
    const page = await openPage(browser, inspector.url.href);
    const banner = page.getByRole("alert");
    await banner.getByText("The server requires a login for the scope weather:read.").waitFor();
    expect(await page.getByText("login()").count()).toBe(0);
    const state = page.getByRole("banner").getByRole("status");
    expect(await state.textContent()).toBe("login required");
    await choose(page, "Log in");
    await banner.getByRole("link", { name: "Open login.example" }).waitFor();
    expect(await state.textContent()).toBe("logging in");
    await choose(page, "Cancel the login");
    await banner.getByRole("button", { name: "Log in" }).waitFor();
    await choose(page, "Log in");
    const link = banner.getByRole("link", { name: "Open login.example" });
    await page.locator("a:focus").and(link).waitFor();
    await page.context().route("https://login.example/authorize", (route) => {
      const body = "<title>Login</title><button autofocus onclick='document.title = 1'>Agree</button>";
      return route.fulfill({ contentType: "text/html", body });
    });
    const popup = page.waitForEvent("popup");
    await page.keyboard.press("Enter");
    const loginPage = await popup;
    await loginPage.locator("button:focus").press("Enter");
    await expect.poll(() => loginPage.title()).toBe("1");
    await loginPage.close();
    isLoggedIn = true;
    agree();
    await page.getByText("connected", { exact: true }).waitFor();
    await banner.waitFor({ state: "detached" });
    await call(page, "Stations");
    await banner.getByText("The call requires further scopes: notes:write.").waitFor();
    await choose(page, "Log in");
    await page.locator("a:focus").and(link).waitFor();
    isAllowed = true;
    agree();
    await page.getByText("If you have logged in since", { exact: false }).waitFor();
    await choose(page, "Send it again");
    await page.getByText("✓ matches the output schema").waitFor();
    await press(page, "Escape", "1");
    await page.getByText("The server requires further scopes.").first().waitFor();
    expect(await page.getByText("login()").count()).toBe(0);
    await press(page, "8");
    await page.getByRole("main", { name: "Login, HTTP" }).waitFor();
    expect(await page.getByText("Login: running").count()).toBe(3);
    await choose(page, "Log out");
    await banner
      .getByText("You are logged out. The server requires a login for the scope weather:read.")
      .waitFor();
    await press(page, "Control+k");
    await page.keyboard.type("connect to weather");
    await page.getByRole("option", { name: "Connect to weather (Claude Desktop)" }).waitFor();
    await page.keyboard.press("Enter");
    await page
      .getByRole("region", { name: "The server", exact: true })
      .getByText("node weather.js")
      .waitFor();
    await page.getByRole("button", { name: /^Radar/ }).waitFor();
    await page.context().close();
  });

  test("characters that hide or reorder text are shown as such", async () => {
    const server = new Server({ name: "evil\u202E", version: "1" }, { instructions: "a\u200Bb" });
    server.addTool(
      { name: "t", title: "pay\u202Efdp", description: "safe \u2066x\u{E0041}" },
      () => "r\u202Eesult",
    );
    await using opened = await openInspector(browser, server);
    const { page } = opened;
    await page.getByText("a\\u200bb").waitFor();
    await call(page, "safe");
    await page.getByText("r\\u202eesult").waitFor();
    const text = await page.evaluate<string>("document.body.innerText");
    expect(text).toContain("pay\\u202efdp");
    expect(text).toContain("\\u{e0041}");
    expect(text).not.toMatch(/[\u200B\u202E\u2066]/);
  });
});
