import { expect, test } from "vitest";

import { createExtraHeaders } from "../src/engine/extra-headers.ts";

async function sentTo(target: string, url: string): Promise<Record<string, string>> {
  const headers = createExtraHeaders(url);
  headers.set({ "X-Tenant": "5" });
  let sent: Record<string, string> = {};
  const inner: typeof fetch = (_, init) => {
    sent = Object.fromEntries(new Headers(init?.headers));
    return Promise.resolve(new Response());
  };
  await headers.added(inner)(target, { method: "POST", headers: { accept: "application/json" } });
  return sent;
}

test("headers of the person are added to requests to the server, and to no others", async () => {
  expect(await sentTo("https://mcp.example/mcp", "https://mcp.example/mcp")).toEqual({
    accept: "application/json",
    "x-tenant": "5",
  });
  expect(await sentTo("https://mcp.example/token", "https://mcp.example/mcp")).toEqual({
    accept: "application/json",
  });
});

test.each([
  [{ "mcp-session-id": "x" }, "belongs to the transport"],
  [{ Host: "x" }, "belongs to the transport"],
  [{ "x y": "1" }, 'got "x y"'],
  [{ "x-a": "1\r\nx-b: 2" }, "one line"],
  [{ "x-a": 5 }, "one line"],
  [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x-${index}`, ""])), "at most 50 headers"],
])("the headers %j are refused", (headers, reason) => {
  const table = createExtraHeaders("https://mcp.example/mcp");
  expect(() => table.set(headers)).toThrow(reason);
  expect(table.all).toEqual({});
});
