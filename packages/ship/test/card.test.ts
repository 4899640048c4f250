import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { inspect } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { cardOf, checkServerCard, readCard, serverCard } from "../src/card.ts";

const info = { name: "notes", version: "1.2.0", title: "Notes", websiteUrl: "https://notes.example" };
const options = { name: "com.example/notes", url: "https://notes.example/mcp" };

/** Serves requests on this machine by a web-standard handler. */
async function listen(handler: (request: Request) => Promise<Response | undefined>): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const request = new Request(`http://127.0.0.1${incoming.url ?? ""}`, {
      method: incoming.method ?? "GET",
      headers,
    });
    void handler(request).then((response = new Response("", { status: 404 })) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) {
        outgoing.end();
      } else {
        Readable.fromWeb(response.body).pipe(outgoing);
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test("a card is served next to its endpoint, and read without findings", async () => {
  const card = cardOf(info, { ...options, revisions: ["2030-01-01"] });
  const endpoint = await listen(serverCard(card));
  const read = await readCard(endpoint);
  expect(read).toEqual({ url: `${endpoint}/server-card`, card, findings: [] });
  expect(checkServerCard(card)).toEqual([]);

  const first = await fetch(read.url);
  expect(first.headers.get("content-type")).toBe("application/mcp-server-card+json");
  expect(first.headers.get("access-control-allow-origin")).toBe("*");
  expect(first.headers.get("cache-control")).toBe("public, max-age=3600");
  await first.text();
  const etag = first.headers.get("etag") ?? "";
  const again = await fetch(read.url, { headers: { "If-None-Match": `W/${etag}` } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await fetch(read.url, { method: "OPTIONS" })).status).toBe(204);
  expect((await fetch(read.url, { method: "POST" })).status).toBe(405);
  expect((await fetch(endpoint)).status).toBe(404);
});

test.each([
  ["no card", new Response("", { status: 404 }), /status is 404/],
  ["no JSON", new Response("<html>"), /is not JSON/],
  ["no object", new Response("[]"), /must contain an object/],
  ["a long body", new Response("x".repeat(300_000)), /longer than 262144 bytes/],
])("a server with %s is reported", async (_, response, message) => {
  const endpoint = await listen(() => Promise.resolve(response));
  await expect(readCard(endpoint)).rejects.toMatchObject({
    code: "CARD_UNREADABLE",
    message: expect.stringMatching(message),
  });
});

test("a card that breaks the rules is read with its findings", async () => {
  const endpoint = await listen(() =>
    Promise.resolve(Response.json({ name: "notes", version: "1", remotes: [{ type: "stdio" }] })),
  );
  const { findings } = await readCard(endpoint);
  expect(findings.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      "header Content-Type",
      "header Access-Control-Allow-Origin",
      "/name",
      "/remotes/0/type",
    ]),
  );
});

test("the user of a URL is in no message, and in no card", async () => {
  const endpoint = "http://ada:s3cret@127.0.0.1:1/mcp";
  const error: unknown = await readCard(endpoint).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: "CARD_UNREADABLE",
    message: expect.stringContaining("http://127.0.0.1:1/mcp/server-card cannot be read"),
  });
  expect(inspect(error, { depth: 10 })).not.toContain("s3cret");
  expect(() => cardOf(info, { ...options, url: endpoint })).toThrow(/not contain a user/);
});

test("a server that does not respond is given up", async () => {
  const endpoint = await listen(() => new Promise(() => {}));
  await expect(readCard(endpoint, { timeoutMs: 50 })).rejects.toMatchObject({ code: "CARD_UNREADABLE" });
});

test("a card is read without a limit of time", async () => {
  const card = cardOf(info, options);
  const endpoint = await listen(serverCard(card));
  expect((await readCard(endpoint, { timeoutMs: Infinity })).card).toEqual(card);
});

test("cards that no client accepts are not made", () => {
  expect(() => cardOf(info, { ...options, name: "notes" })).toThrow(/com.example\/notes/);
  expect(() => cardOf(info, { ...options, url: "notes.example" })).toThrow(/http or https URL/);
  expect(() => cardOf(info, { ...options, description: "x".repeat(101) })).toThrow(/1 to 100 characters/);
  expect(() => serverCard(cardOf(info, options), { maxAgeSeconds: -1 })).toThrow(/maxAgeSeconds/);
});
