import { request as httpRequest } from "node:http";

import { createInspector } from "@tenon/inspector";
import { startInspector } from "@tenon/inspector/node";
import { expect, test } from "vitest";

import { logIn } from "./support/browser.ts";

const source = { kind: "tap", label: "host" } as const;

test.each([
  ["a rebound name", "events", { host: "evil.example:4000" }],
  ["the same name on another port of an origin", "events", { origin: "http://127.0.0.1:5000" }],
  ["another origin", "events", { origin: "https://evil.example" }],
  ["an opaque origin", "events", { origin: "null" }],
  ["another site", "events", { "sec-fetch-site": "cross-site" }],
  ["another port of the same machine", "events", { "sec-fetch-site": "same-site" }],
  ["an address bar", "events", { "sec-fetch-site": "none" }],
  ["an image", "line?seq=1", { "sec-fetch-dest": "image" }],
  ["a frame", "", { "sec-fetch-dest": "iframe" }],
  ["a page of another site that embeds the script", "page.js", { "sec-fetch-site": "cross-site" }],
])("refuses %s", async (_, path, headers) => {
  const browser = await logIn({ source });
  const response = await browser.send(path, { headers });
  expect(response.status).toBe(403);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  await browser.inspector.close();
});

test.each([
  ["no cookie", { cookie: null }],
  ["a wrong cookie", { cookie: "tenon_inspector_00000000=00" }],
  ["no key, as a page on another port would have the cookie alone", { "x-inspector-key": null }],
  ["a wrong key", { "x-inspector-key": "00" }],
])("requests with %s get no data", async (_, headers) => {
  const browser = await logIn({ source });
  for (const path of ["events", "line?seq=1", "export?format=jsonl"]) {
    expect((await browser.send(path, { headers })).status).toBe(401);
  }
  const acted = await browser.send("action", { method: "POST", body: '{"do":"clear"}', headers });
  expect(acted.status).toBe(401);
  await browser.inspector.close();
});

test("an action needs an Origin and a body of JSON, as no form of another site can send it", async () => {
  const browser = await logIn({ source });
  const act = (headers: Record<string, string | null>): Promise<Response> =>
    browser.send("action", { method: "POST", body: '{"do":"clear"}', headers });
  expect((await act({ origin: null })).status).toBe(403);
  expect((await act({ "content-type": "text/plain" })).status).toBe(415);
  expect((await act({ "content-type": "application/x-www-form-urlencoded" })).status).toBe(415);
  expect((await act({})).status).toBe(200);
  await browser.inspector.close();
});

test("a code works once, and no code works after its time", async () => {
  const inspector = createInspector({ source, limits: { codeTtlMs: 1 } });
  const origin = "http://localhost:4000";
  const exchange = (code: string | null): Promise<Response> =>
    inspector.handle(
      new Request(`${origin}/session`, {
        method: "POST",
        body: code,
        headers: { origin, host: "localhost:4000" },
      }),
    );
  const codeOf = (url: URL): string | null => new URLSearchParams(url.hash.slice(1)).get("code");
  const late = codeOf(inspector.link(origin));
  const end = performance.now() + 5;
  while (performance.now() < end) {
    // The time of a code is over after 1 ms.
  }
  expect((await exchange(late)).status).toBe(401);
  expect((await exchange("0".repeat(64))).status).toBe(401);
  await inspector.close();

  const browser = await logIn({ source });
  const code = codeOf(browser.inspector.link("http://127.0.0.1:4000"));
  const once = (): Promise<Response> => browser.send("session", { method: "POST", body: code ?? "" });
  expect((await once()).status).toBe(200);
  expect((await once()).status).toBe(401);
  await browser.inspector.close();
});

test("a browser beyond the limit logs the oldest out", async () => {
  const browser = await logIn({ source, limits: { maxBrowsers: 1 } });
  expect((await browser.send("line?seq=1")).status).toBe(404);
  const code = new URLSearchParams(browser.inspector.link("http://127.0.0.1:4000").hash.slice(1)).get("code");
  await browser.send("session", { method: "POST", body: code ?? "" });
  expect((await browser.send("line?seq=1")).status).toBe(401);
  await browser.inspector.close();
});

test("every response forbids frames, foreign scripts and sniffing, and allows no other origin", async () => {
  const browser = await logIn({ source });
  for (const path of ["", "page.js", "page.css", "line?seq=1", "events", "nothing"]) {
    const { headers } = await browser.send(path);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
  const { headers } = await browser.send("session", { method: "OPTIONS" });
  expect(headers.get("access-control-allow-origin")).toBe(null);
  await browser.inspector.close();
});

test("a body beyond the limit is refused, and so is what is no action", async () => {
  const browser = await logIn({ source, limits: { maxMessageBytes: 1024 } });
  const act = async (body: string): Promise<readonly [number, string]> => {
    const response = await browser.send("action", { method: "POST", body });
    return [response.status, await response.text()];
  };
  expect(await act(`{"do":"clear","x":"${"x".repeat(2000)}"}`)).toEqual([
    413,
    "Expected a body of at most 1024 bytes; got more.\n",
  ]);
  expect(await act('{"do":"start","command":"sh"}')).toEqual([
    400,
    'Expected an action such as "call" in "do"; got "start".\n',
  ]);
  expect(await act("[]")).toEqual([400, "Expected an action to be an object.\n"]);
  await browser.inspector.close();
});

test("the number of streams is limited", async () => {
  const browser = await logIn({ source, limits: { maxStreams: 1 } });
  const first = await browser.send("events");
  expect((await browser.send("events")).status).toBe(429);
  await first.body?.cancel();
  const again = await browser.send("events");
  expect(again.status).toBe(200);
  await again.body?.cancel();
  await browser.inspector.close();
});

test("a browser that disconnects frees the place of one stream", async () => {
  await using inspector = await startInspector({ source, limits: { maxStreams: 2 } });
  const { origin, hash } = inspector.url;
  const session = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { origin },
    body: hash.slice(6),
  });
  const { key } = (await session.json()) as { key: string };
  const headers = { cookie: session.headers.getSetCookie()[0]?.split(";")[0] ?? "", "x-inspector-key": key };
  const open = async (): Promise<{ status: number; close: () => void }> => {
    const control = new AbortController();
    const { status, body } = await fetch(`${origin}/events`, { headers, signal: control.signal });
    await body?.getReader().read();
    return { status, close: () => control.abort() };
  };
  const kept = await open();
  const first = await open();
  expect([kept.status, first.status, (await open()).status]).toEqual([200, 200, 429]);
  first.close();
  let again = first;
  await expect.poll(async () => (again = await open()).status).toBe(200);
  expect([again.status, (await open()).status]).toEqual([200, 429]);
  again.close();
  kept.close();
});

test("a start with invalid limits does not keep its port", async () => {
  const before = await startInspector({ source });
  const port = Number(before.url.port);
  await before.close();
  await expect(startInspector({ source, port, limits: { maxLines: 0 } })).rejects.toThrow("limits.maxLines");
  await using again = await startInspector({ source, port });
  expect(again.url.port).toBe(String(port));
});

test("the server listens at loopback addresses only, and refuses other names over the network", async () => {
  await expect(startInspector({ source, host: "0.0.0.0" as "::1" })).rejects.toThrow("127.0.0.1 or ::1 only");
  await using inspector = await startInspector({ source });
  const statusWith = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      httpRequest(inspector.url, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
  expect(await statusWith(inspector.url.host)).toBe(200);
  expect(await statusWith(`evil.example:${inspector.url.port}`)).toBe(403);
  expect(await statusWith("127.0.0.1:1")).toBe(403);
});

test("options that do not exist are refused", () => {
  expect(() => createInspector({ source, pathh: "/" } as never)).toThrow("Did you mean path?");
  expect(() => createInspector({ source, path: "inspector" })).toThrow('begin and end with "/"');
  expect(() => createInspector({ source, limits: { maxLines: 0 } })).toThrow("limits.maxLines");
  const transport = { connect: () => Promise.reject(new Error("not here")) };
  const live = { kind: "live", label: "x", transport, address: { url: "/mcp" } } as const;
  expect(() => createInspector({ source: live })).toThrow('address.url must be an absolute URL; got "/mcp".');
});
