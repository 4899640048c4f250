import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

import { chromiumPath, startChromium } from "@tenon/test-support/chromium";
import { originOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { checkCors, sentHeaders } from "../src/engine/cors.lazy.ts";
import { askingServer } from "./support/asking-server.ts";
import { logIn } from "./support/browser.ts";
import { openSource } from "./support/open.ts";
import { serve } from "./support/serve.ts";

const origin = "https://app.example";

/** Serves fixed headers, for a preflight and for all other requests. */
async function fixed(
  preflight: readonly [number, Record<string, string>],
  answer: readonly [number, Record<string, string>],
): Promise<string> {
  const http = createServer((request, response) => {
    response.writeHead(...(request.method === "OPTIONS" ? preflight : answer)).end();
  });
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return `${await originOnFreePort(http)}/mcp`;
}

const allowed = {
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": sentHeaders.join(", "),
  "access-control-expose-headers": "MCP-Session-Id, WWW-Authenticate",
};

async function problems(url: string): Promise<readonly string[]> {
  const { works, verdicts } = await checkCors(url, origin, fetch);
  const found = verdicts.filter(({ verdict }) => verdict === "problem").map(({ rule }) => rule);
  expect(works).toBe(found.length === 0);
  return found;
}

test("a server of this package works in a browser exactly for the origins that it allows", async () => {
  await using served = await serve(askingServer(), { allowedOrigins: [origin] });
  expect(await problems(served.url)).toEqual([]);
  const { works } = await checkCors(served.url, "https://evil.example", fetch);
  expect(works).toBe(false);
});

test("the requests of the check are sent as the source sends all others, for example through a proxy", async () => {
  const sent: (string | undefined)[] = [];
  const browser = await logIn({
    source: {
      kind: "live",
      label: "behind a proxy",
      address: { url: "https://mcp.invalid/mcp" },
      transport: { connect: () => Promise.reject(new Error("not here")) },
      fetch: (_, init) => {
        sent.push(init?.method);
        return Promise.resolve(new Response("", { headers: allowed }));
      },
    },
  });
  expect(await browser.act({ do: "cors", origin })).toMatchObject({ works: true });
  expect(sent).toEqual(["OPTIONS", "POST"]);
  await browser.inspector.close();
});

test.each([
  ["Status of the preflight", [401, allowed], [200, allowed]],
  ["Status of the preflight", [307, { ...allowed, location: "/elsewhere" }], [200, allowed]],
  [
    "Access-Control-Allow-Origin of the preflight",
    [204, { ...allowed, "access-control-allow-origin": "https://other.example" }],
    [200, allowed],
  ],
  [
    "Access-Control-Allow-Headers",
    [204, { ...allowed, "access-control-allow-headers": "*" }],
    [200, allowed],
  ],
  ["Access-Control-Allow-Origin of the response", [204, allowed], [401, {}]],
  [
    "Access-Control-Expose-Headers",
    [204, allowed],
    [200, { "access-control-allow-origin": "*", "mcp-session-id": "1" }],
  ],
] as const)("the rule %s is broken where it is broken", async (rule, preflight, answer) => {
  expect(await problems(await fixed(preflight, answer))).toEqual([rule]);
});

test("a server that is not there, and a value that is no origin, are named", async () => {
  const { works, verdicts } = await checkCors("http://127.0.0.1:1/mcp", origin, fetch);
  expect([works, verdicts[0]?.found]).toEqual([false, expect.stringContaining("could not be reached")]);
  await expect(checkCors("http://127.0.0.1:1/mcp", "app.example/path", fetch)).rejects.toThrow(
    "Expected an origin",
  );
});

test.skipIf(chromiumPath === undefined)(
  "the page shows the verdict of each rule (skipped without Chromium)",
  async () => {
    await using browser = await startChromium();
    await using served = await serve(askingServer(), { allowedOrigins: ["https://other.example"] });
    await using opened = await openSource(browser, {
      kind: "live",
      label: served.url,
      address: { url: served.url },
      transport: ({ fetch: observed }) =>
        new StreamableClientTransport(served.url, { fetch: observed, eras: false }),
    });
    const { page, errors } = opened;
    await page.keyboard.press("8");
    await page.getByRole("button", { name: "Check" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("A client on a page of https://app.example cannot use this server.").waitFor();
    await page.getByLabel("Origin of the page").fill("https://other.example");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("A client on a page of https://other.example can use this server.").waitFor();
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const violations = await page.evaluate("axe.run(document).then(({ violations }) => violations)");
    expect(violations).toEqual([]);
    expect(errors).toEqual([]);
  },
);
