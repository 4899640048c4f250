import { Server } from "@tenon/mcp";
import { chromiumPath, startChromium, type Browser } from "@tenon/test-support/chromium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { demoServer } from "./support/demo-server.ts";
import { openInspector } from "./support/open.ts";

let browser: Browser;

describe.skipIf(chromiumPath === undefined)("the form, in Chromium (skipped without Chromium)", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  test("a field that does not match its schema says so and gets the focus before anything is sent", async () => {
    const server = new Server({ name: "weather", version: "1.0.0" });
    const received: unknown[] = [];
    server.addTool(
      {
        name: "forecast",
        input: {
          type: "object",
          properties: {
            city: { type: "string", minLength: 2 },
            days: { type: "integer", maximum: 14 },
            from: { type: "string", format: "date" },
          },
          required: ["city", "days"],
        } as const,
      },
      (args) => {
        received.push(args);
        return "sunny";
      },
    );
    await using opened = await openInspector(browser, server);
    const { page, errors } = opened;
    await page.keyboard.press("3");
    await page.getByLabel("city").fill("Oslo");
    await page.getByLabel("days").fill("20");
    await page.keyboard.press("Control+Enter");
    const days = page.getByLabel("days");
    await page.locator("input:focus").and(days).waitFor();
    const [range, problem] = (await days.getAttribute("aria-describedby"))?.split(" ") ?? [];
    expect(await page.locator(`[id="${range}"]`).textContent()).toBe("at most 14");
    const said = await page.locator(`[id="${problem}"]`).textContent();
    expect(said).toMatch(/14/);
    expect(await page.locator(".notice").textContent()).toBe(`days: ${said}`);
    expect(await page.getByRole("region", { name: "Result" }).count()).toBe(0);

    await page.getByRole("button", { name: "+ from" }).click();
    await page
      .locator("input:focus")
      .and(page.getByLabel("from", { exact: true }))
      .waitFor();
    await days.fill("2");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Enter a value.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Leave out from" }).click();
    await page
      .locator("button:focus")
      .and(page.getByRole("button", { name: "+ from" }))
      .waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "Result" }).getByText("sunny").waitFor();
    expect(received).toEqual([{ city: "Oslo", days: 2 }]);

    await page.getByLabel("city").fill("x");
    await page.getByText("or send it although it is not valid").click();
    await page.getByRole("button", { name: "Send it although it is not valid" }).click();
    await page.getByRole("region", { name: "Result" }).getByText("✕ failed").waitFor();
    expect(received).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test("a draft that is not JSON is not sent, in a field or as a whole", async () => {
    const server = new Server({ name: "any", version: "1.0.0" });
    const received: unknown[] = [];
    server.addTool(
      {
        name: "keep",
        input: { type: "object", properties: { payload: {} }, required: ["payload"] } as const,
      },
      ({ payload }) => {
        received.push(payload);
        return "kept";
      },
    );
    await using opened = await openInspector(browser, server);
    const { page } = opened;
    await page.keyboard.press("3");
    await page.getByLabel("payload").fill("[1");
    await page.keyboard.press("Control+Enter");
    await page.locator("textarea:focus").and(page.getByLabel("payload")).waitFor();
    await page.getByText("payload: Must be JSON", { exact: false }).waitFor();
    await page.getByLabel("payload").fill("[1]");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "Result" }).getByText("kept").waitFor();
    const views = page.getByRole("group", { name: "View of the values" });
    await views.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByLabel("Arguments of keep as JSON").fill("{");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("list", { name: "Problems" }).waitFor();
    await page.getByLabel("Arguments of keep as JSON").fill('{"payload":2}');
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => received).toEqual([[1], 2]);
  });

  test("the person edits the metadata of a request, and gets it back when it is sent again", async () => {
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await page.keyboard.press("3");
    await page.getByRole("button", { name: "Forecast" }).click();
    await page.getByLabel("city").fill("Oslo");
    await page.getByText("Metadata, time limit").click();
    await page.getByLabel("_meta").fill("[]");
    await page.keyboard.press("Control+Enter");
    await page.locator("textarea:focus").and(page.getByLabel("_meta")).waitFor();
    await page.getByText("Must be an object", { exact: false }).first().waitFor();
    await page.getByLabel("_meta").fill('{"example.com/tenant":5}');
    await page.keyboard.press("Control+Enter");
    await page.getByText("no output schema").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("1");
    await page.getByRole("option").filter({ hasText: "tools/call" }).first().click();
    await page
      .getByRole("region", { name: "tools/call as JSON" })
      .getByText('"example.com/tenant": 5')
      .waitFor();
    await page.keyboard.press("t");
    await page.getByText("Metadata, time limit").click();
    await expect.poll(() => page.getByLabel("_meta").inputValue()).toBe('{\n  "example.com/tenant": 5\n}');
    expect(errors).toEqual([]);
  });
});
