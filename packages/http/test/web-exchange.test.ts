import { WebExchange } from "@tenon/http/server";
import { expect, test } from "vitest";

const limits = { maxBytes: 1024, timeoutMs: 60_000 };

test("a body that somebody else has read is missed, and not taken for an empty one", async () => {
  const request = new Request("http://localhost", { method: "POST", body: "{}" });
  await request.text();
  await expect(new WebExchange(request).body(limits)).rejects.toMatchObject({ code: "INVALID_STATE" });
});

test("a body that somebody else is reading is missed, too", async () => {
  const request = new Request("http://localhost", { method: "POST", body: "{}" });
  request.body?.getReader();
  await expect(new WebExchange(request).body(limits)).rejects.toMatchObject({ code: "INVALID_STATE" });
});

test("a client whose answer could not be made is not left waiting for another", async () => {
  const exchange = new WebExchange(new Request("http://localhost"));
  expect(() => exchange.respond(200, { "x-bad": "two\nlines" }, "{}")).toThrow(TypeError);
  expect((await exchange.response).status).toBe(500);
});

test("a stream that could not be opened leaves room for another answer", async () => {
  const exchange = new WebExchange(new Request("http://localhost"));
  expect(() => exchange.open(200, { "x-bad": "two\nlines" })).toThrow(TypeError);
  exchange.respond(503, {});
  expect((await exchange.response).status).toBe(503);
});
