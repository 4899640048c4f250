import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { Server } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";
import { deferred } from "@tenon/test-support";
import { chromiumPath, openPage, startChromium, type Browser, type Page } from "@tenon/test-support/chromium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { demoServer } from "./support/demo-server.ts";
import { fillPage, openInspector, viewKey, viewNames } from "./support/open.ts";

let browser: Browser;

/** Shows as much in a view as it has, by the keyboard. */
async function showMost(page: Page, view: string): Promise<void> {
  const press = async (name: string | RegExp): Promise<void> => {
    await page.getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
  };
  if (view === "Timeline") {
    await page.keyboard.press("j");
    await page.getByRole("region", { name: "Details" }).waitFor();
  } else if (view === "Try") {
    await page.getByText("Metadata, time limit").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("_meta").fill("[");
    await page.getByText("Must be JSON").waitFor();
    await page.getByLabel("_meta").fill("");
    await page.keyboard.press("Escape");
  } else if (view === "Apps") {
    await press("Call the tool and show the view");
    await page.getByText("tools/call").or(page.getByText("ready")).first().waitFor();
    await page.getByText("Source of the view").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Source of the view" }).waitFor();
  } else if (view === "Skills") {
    await press(/^Read SKILL\.md/);
    await page.getByText(/^Size and digest are as listed/).waitFor();
  }
}

describe.skipIf(chromiumPath === undefined)("in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  test("a person with a keyboard alone calls a tool, filters, sends again, compares and answers", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) {
        await page.keyboard.press(key);
      }
    };
    expect(page.url()).not.toContain("code=");
    await page.getByText(/^The definitions of the tools cost a model about [\d,]+ tokens/).waitFor();
    await press("3");
    await page.getByRole("button", { name: "Forecast" }).focus();
    await press("Enter", "Tab");
    await page.getByLabel("city").focus();
    await page.keyboard.type("Oslo");
    await press("Control+Enter");
    await page.getByRole("region", { name: "Result" }).getByText("clear").waitFor();

    await press("Escape", "1", "/");
    await page.locator("#filter:focus").waitFor();
    await page.keyboard.type("tool:forecast");
    await page.getByText("2 of ").waitFor();
    await press("Enter", "j");
    await page.getByRole("region", { name: "tools/call as JSON" }).getByText('"Oslo"').waitFor();
    await press("m", "r");
    await page.getByText("4 of ").waitFor();
    await press("End", "k", "d");
    await page.getByRole("region", { name: "Difference of two lines" }).getByText("+").first().waitFor();

    await press("Control+k");
    await page.keyboard.type("Go to Try");
    await press("Enter");
    await page.getByRole("button", { name: "Order an umbrella" }).focus();
    await press("Enter", "Control+Enter");
    await page.getByRole("button", { name: "Input requests 1 waiting" }).waitFor();
    await page.getByLabel("Address").focus();
    await page.keyboard.type("Main Street 1");
    await page.getByRole("button", { name: "Send the values" }).focus();
    await press("Enter");
    await page.getByText("accept Main Street 1").waitFor();
    await press("Escape", "?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await page.evaluate("document.querySelector('dialog').scrollTop")).toBe(0);
    expect(await page.getByText("Go to Chat").count()).toBe(0);
    await press("Escape", "Control+k");
    await page.keyboard.type("forecast");
    await page.getByRole("option", { name: "Open the tool forecast" }).waitFor();
    await page.keyboard.type("zzz");
    await page.getByText("No command has “forecastzzz” in its name.").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press("h", "/");
    await page.keyboard.type("radar");
    await press("Enter");
    await page.getByRole("region", { name: "radar" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("what a hostile server sends is text in every view, and 10 MB are shown in parts", async () => {
    const script = `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>`;
    const server = new Server({ name: `weather ${script}`, version: script }, { logging: true });
    server.addTool(
      {
        name: "evil",
        title: script,
        description: script,
        input: {
          type: "object",
          properties: { [script]: { type: "string", title: script, description: script, default: script } },
          required: [script],
        } as const,
      },
      async (_, { log, progress }) => {
        await log("error", { text: script });
        await progress(1, 2, script);
        return `${script}\u001B[31m${"x".repeat(10_000_000)}`;
      },
    );
    server.addTool({ name: "page" }, async (_, ctx) => {
      // eslint-disable-next-line no-script-url
      await ctx.elicit({ mode: "url", message: script, url: "javascript:globalThis.hacked=1" } as never);
      return "";
    });
    server.addResource({ uri: "x:1", name: script, description: script }, () => script);
    await using opened = await openInspector(browser, server);
    const { page } = opened;
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByRole("button", { name: script }).first().click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: /^Load more: .* left of 9\.5 MiB$/ }).waitFor();
    for (const [index, name] of viewNames.entries()) {
      await page.getByRole("button", { name }).first().click();
      await page.keyboard.press("Escape");
      expect([
        index,
        await page.locator("main img, main script, main iframe, main a[href^=javascript]").count(),
      ]).toEqual([index, 0]);
    }
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
  });

  test("a request and a task that were shown before their end are shown as they end", async () => {
    const ends = { wait: deferred(), work: deferred() };
    const engine = createTaskEngine();
    const server = new Server({ name: "slow", version: "1.0.0" });
    server.use(tasks({ engine }));
    server.addTool({ name: "wait" }, async () => {
      await ends.wait.promise;
      return "done";
    });
    server.addTool({ name: "work", task: { mode: "required", pollIntervalMs: 50 } }, async () => {
      await ends.work.promise;
      return "done";
    });
    await using opened = await openInspector(browser, server);
    const { page } = opened;
    const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
    for (const [view, name, before, after] of [
      ["Timeline", "wait", "… open", "✓ ok"],
      ["Tasks", "work", "working", "completed"],
    ] as const) {
      await press("Try");
      await press(name);
      await press("Send");
      await press(view);
      const shown =
        view === "Tasks"
          ? page.getByRole("region", { name: /^Task / })
          : page.getByRole("option", { name: /to the server.*tools\/call wait/ });
      await shown.getByText(before).first().waitFor();
      ends[name].resolve();
      await shown.getByText(after).first().waitFor();
    }
    await engine.close();
  });

  test("axe finds no fault in any view, in either theme", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await fillPage(opened);
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const found: unknown[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const [index, name] of viewNames.entries()) {
        await page.keyboard.press(viewKey(index));
        await showMost(page, name);
        const violations = await page.evaluate<readonly { id: string; nodes: { html: string }[] }[]>(
          "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
        );
        found.push(
          ...violations.map(({ id, nodes }) => [colorScheme, name, id, nodes[0]?.html.slice(0, 200)]),
        );
      }
    }
    expect(found).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("a link that was used shows why it does not work, and a reload keeps the login", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, inspector } = opened;
    await page.reload();
    await page.getByText("connected", { exact: true }).waitFor();
    const again = await openPage(browser, inspector.url.href);
    await again.getByRole("alert").getByText("The link was used before").waitFor();
    await again.getByText("Make a link for another tab").waitFor();
    await again.context().close();
    await inspector.close();
    await page.getByText("no inspector").waitFor();
    expect(await page.getByRole("button", { name: "Disconnect" }).count()).toBe(0);
  });
});
