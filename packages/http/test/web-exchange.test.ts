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
