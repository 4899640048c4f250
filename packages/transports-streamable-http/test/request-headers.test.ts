import type { Request } from "@tenon/jsonrpc2";
import { headerSource } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { modernHeaders } from "../src/client/request-headers.ts";
import { ToolBook } from "../src/client/tool-book.ts";

function call(name: string, args: object = {}, method = "tools/call"): Request {
  return { jsonrpc: "2.0", id: 1, method, params: { name, arguments: args } };
}

const tools = new ToolBook(() => {});
tools.note(
  {
    tools: [
      {
        name: "regional",
        inputSchema: {
          type: "object",
          properties: { region: { type: "string", "x-mcp-header": "Region" } },
        },
      },
    ],
  },
  true,
);

test("calls that differ in their arguments alone share their headers", () => {
  const first = modernHeaders(call("add", { a: 1 }), modernRevision, tools);
  expect(first).toMatchObject({
    "mcp-protocol-version": modernRevision,
    "mcp-method": "tools/call",
    "mcp-name": "add",
  });
  expect(modernHeaders(call("add", { a: 2 }), modernRevision, tools)).toBe(first);
});

test("each tool, method and version has headers of its own", () => {
  const others = [
    modernHeaders(call("other"), modernRevision, tools),
    modernHeaders(call("add", {}, "prompts/get"), modernRevision, tools),
    modernHeaders(call("add"), "2027-01-01", tools),
    modernHeaders(call("add"), modernRevision, tools),
    modernHeaders({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }, modernRevision, tools),
    modernHeaders(call(""), modernRevision, tools),
  ];
  expect(
    others.map((headers) => [
      headers["mcp-protocol-version"],
      headers["mcp-method"],
      headers["mcp-name"] ?? "none",
    ]),
  ).toEqual([
    [modernRevision, "tools/call", "other"],
    [modernRevision, "prompts/get", "add"],
    ["2027-01-01", "tools/call", "add"],
    [modernRevision, "tools/call", "add"],
    [modernRevision, "tools/call", "none"],
    [modernRevision, "tools/call", ""],
  ]);
});

test("the headers that repeat arguments are those of the one call (R-321)", () => {
  const north = modernHeaders(call("regional", { region: "north" }), modernRevision, tools);
  const south = modernHeaders(call("regional", { region: "south" }), modernRevision, tools);
  expect([north["mcp-param-region"], south["mcp-param-region"]]).toEqual(["north", "south"]);
  expect(modernHeaders(call("regional"), modernRevision, tools)).not.toHaveProperty("mcp-param-region");
});

test("headers of any number of names are right, and of no more than some are kept", () => {
  const headersOf = (index: number): object => modernHeaders(call(`tool-${index}`), modernRevision, tools);
  const headers = Array.from({ length: 1000 }, (_, index) => headersOf(index));
  expect(headers[999]).toMatchObject({ "mcp-name": "tool-999" });
  const kept = headers.filter((each, index) => headersOf(index) === each);
  expect(kept.length).toBeLessThanOrEqual(256);
  const long = "x".repeat(10_000);
  expect(modernHeaders(call(long), modernRevision, tools)).not.toBe(
    modernHeaders(call(long), modernRevision, tools),
  );
});

test("a request of an extension repeats the param that its definition names (R-313)", () => {
  const params = { ticket: "t1", [headerSource]: "ticket" };
  const request: Request = { jsonrpc: "2.0", id: 1, method: "com.example/queue/place", params };
  expect(modernHeaders(request, modernRevision, tools)).toMatchObject({ "mcp-name": "t1" });
  expect(JSON.stringify(request)).not.toContain("headerSource");
});
