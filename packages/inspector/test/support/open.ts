import type { LiveSource } from "@tenon/inspector";
import { startInspector, type StartedInspector, type StartInspectorOptions } from "@tenon/inspector/node";
import type { Server } from "@tenon/mcp";
import { taskClient } from "@tenon/tasks/client";
import { openPage, type Browser, type Page } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";

import { views } from "../../src/page/view-table.ts";

/** A page of the inspector in Chromium, with the errors of its scripts. */
export interface Opened extends AsyncDisposable {
  readonly page: Page;
  readonly inspector: StartedInspector;
  readonly errors: string[];
}

/** Starts an inspector for a server in memory, and opens its page. */
export async function openInspector(browser: Browser, server: Server): Promise<Opened> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return openSource(browser, {
    kind: "live",
    label: "node weather.js",
    transport: here,
    extensions: [taskClient()],
  });
}

/** Starts an inspector for a live source, and opens its page. */
export async function openSource(
  browser: Browser,
  source: LiveSource,
  more: Omit<StartInspectorOptions, "source"> = {},
): Promise<Opened> {
  const inspector = await startInspector({ source, ...more });
  const errors: string[] = [];
  const page = await openPage(browser, inspector.url.href, ({ message }) => errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") {
      errors.push(message.text());
    }
  });
  await page.getByText("connected", { exact: true }).waitFor();
  return {
    page,
    inspector,
    errors,
    async [Symbol.asyncDispose]() {
      await page.context().close();
      await inspector.close();
    },
  };
}

/** The views without a model, in the order of the navigation. */
const shown = views.filter(([name]) => name !== "chat");

/** The names of the views, in the order of the navigation. */
export const viewNames: readonly string[] = shown.map(([, title]) => title);

/** The key of a view by its index. */
export const viewKey = (index: number): string => shown[index]?.[2] ?? "";

/** Fills the page with one of everything: calls, failures, logs, an input request that waits. */
export async function fillPage({ page, inspector }: Opened): Promise<void> {
  await page.getByRole("button", { name: "Try" }).click();
  await page.getByRole("button", { name: "fail" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("✕ failed").waitFor();
  await page.getByRole("button", { name: "Order an umbrella" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("button", { name: "Input requests 1 waiting" }).waitFor();
  await page.getByRole("button", { name: "Forecast" }).click();
  await page.getByLabel("city").fill("Oslo");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("✓ matches").or(page.getByText("no output schema")).waitFor();
  const observed = inspector.observeFetch(() => Promise.resolve(new Response("{}", { status: 401 })));
  await observed("https://weather.example/.well-known/oauth-protected-resource");
  inspector.authEvent({ type: "status", status: { state: "needs-user" } } as { type: string });
  await page.keyboard.press("Escape");
}
