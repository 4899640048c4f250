import { Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { describe, expect, it } from "vitest";

import { checkServer, formatReport, type CheckServerOptions } from "../src/check/check-server.ts";
import type { ServerReport } from "../src/check/report.ts";
import { pair } from "../src/pair.ts";

const readOnlyHint = { annotations: { readOnlyHint: true } } as const;
const numbers = {
  type: "object",
  properties: { a: { type: "number", minimum: 0 }, note: { type: "string", maxLength: 5 } },
  required: ["a"],
} as const;

function newServer(): Server {
  return new Server({ name: "checked", version: "1.0.0" }, { onError: () => {} });
}

async function checksOf(server: Server, options: CheckServerOptions = {}): Promise<string[]> {
  const report = await checkServer(server, { runs: 5, ...options });
  return [...new Set(report.findings.map(({ check, severity }) => `${severity} ${check}`))];
}

it("finds nothing in a server that keeps its promises", async () => {
  const server = newServer();
  const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
  server.addTool({ name: "double", ...readOnlyHint, input: numbers, output }, ({ a }) => ({ sum: 2 * a }));
  server.addTool({ name: "delete" }, () => "gone");
  server.addPrompt({ name: "p", arguments: [{ name: "x" }] }, () => "text");
  server.addResource({ uri: "test://r", name: "r" }, () => "content");
  const report = await checkServer(server);
  expect(report.findings, formatReport(report)).toEqual([]);
  expect(report.tools).toEqual(["double"]);
  expect(report.revisions).toEqual(bothEras);
  expect(report.calls).toBeGreaterThan(40);
});

describe("checkServer finds", () => {
  /** A tool that takes what its handler gets without a check of the SDK. */
  function lax(handle: (args: Record<string, unknown>) => string): Server {
    const server = newServer();
    server.addTool({ name: "lax", ...readOnlyHint, input: { type: "object" } }, (args) =>
      handle({ ...(args as object) }),
    );
    server.addReceivingMiddleware((next) => async (request) => {
      const result = await next(request);
      return request.method === "tools/list" ? withSchema(result as never) : result;
    });
    return server;
  }

  function withSchema(result: { readonly tools: readonly object[] }): never {
    return { ...result, tools: result.tools.map((tool) => ({ ...tool, inputSchema: numbers })) } as never;
  }

  it("a tool that accepts what its schema does not allow", async () => {
    const report = await checkServer(lax(() => "fine"));
    expect(new Set(report.findings.map(({ check }) => check))).toEqual(
      new Set(["refuses-invalid-arguments"]),
    );
    expect(report.findings[0]?.message).toMatch(/Expected a refusal: \w+ of inputSchema does not hold for/);
    expect(report.findings[0]?.arguments).toBeDefined();
  });

  it("a tool that fails for what its schema allows", async () => {
    const strict = lax((args) => {
      if (args["note"] !== undefined || typeof args["a"] !== "number" || args["a"] < 0) {
        throw new Error("no");
      }
      return "fine";
    });
    expect(await checksOf(strict)).toEqual([]);
    const never = lax(() => {
      throw new Error("never");
    });
    expect(await checksOf(never)).toEqual(["warning accepts-valid-arguments"]);
  });

  it("a read-only tool whose results differ", async () => {
    const server = newServer();
    let count = 0;
    server.addTool({ name: "count", ...readOnlyHint }, () => String(count++));
    expect(await checksOf(server)).toEqual(["warning keeps-hints"]);
  });

  it("a result that does not fit the output schema", async () => {
    const server = newServer();
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    server.addTool({ name: "t", ...readOnlyHint, output }, () => ({ n: 1 }));
    server.addReceivingMiddleware((next) => async (request) => {
      const result = await next(request);
      return request.method === "tools/call" && typeof result === "object"
        ? { ...result, structuredContent: { n: "one" } }
        : result;
    });
    expect(await checksOf(server)).toContain("error keeps-output-schema");
  });

  it("definitions that change from list to list, and differ between the eras", async () => {
    const server = newServer();
    server.addTool({ name: "t" }, () => "");
    let lists = 0;
    server.addReceivingMiddleware((next) => async (request) => {
      const result = await next(request);
      lists += request.method === "tools/list" ? 1 : 0;
      return request.method === "tools/list" && typeof result === "object"
        ? { ...result, tools: [{ name: `t${lists}`, inputSchema: { type: "object" } }] }
        : result;
    });
    expect(await checksOf(server)).toEqual(["warning stable-definitions", "warning equal-eras"]);
  });

  it("a server that knows every name", async () => {
    const server = newServer();
    server.addPrompt({ name: "p" }, () => "text");
    server.addReceivingMiddleware(
      (next) => (request) =>
        request.method === "prompts/get" ? Promise.resolve({ messages: [] } as never) : next(request),
    );
    expect(await checksOf(server)).toEqual(["error refuses-unknown-names"]);
  });
});

it("calls the tools that are named, whatever their annotations, with the same arguments for the same seed", async () => {
  const seen: unknown[][] = [];
  const check = async (seed: number): Promise<ServerReport> => {
    const calls: unknown[] = [];
    seen.push(calls);
    const server = newServer();
    server.addTool({ name: "write", input: numbers }, (args) => {
      calls.push(args);
      return "";
    });
    return checkServer(server, { tools: ["write"], runs: 3, seed });
  };
  const { tools } = await check(5);
  await check(5);
  await check(6);
  expect(tools).toEqual(["write"]);
  expect(seen[0]).toEqual(seen[1]);
  expect(seen[0]).not.toEqual(seen[2]);
});

it("takes a function that opens sessions, and skips an era that the server does not speak", async () => {
  const [, modern] = bothEras;
  const server = newServer();
  server.addTool({ name: "t" }, () => "");
  const report = await checkServer(async (revision) => {
    if (revision !== modern) {
      throw new Error("legacy clients are not served");
    }
    return (await pair(server, { revision })).session;
  });
  expect(report.revisions).toEqual([modern]);
  const none = checkServer(() => Promise.reject(new Error("nobody home")));
  await expect(none).rejects.toThrow("nobody home");
});

it("ends with the reason of its signal", async () => {
  const server = newServer();
  const controller = new AbortController();
  server.addTool({ name: "t", ...readOnlyHint }, () => {
    controller.abort(new Error("enough"));
    return "";
  });
  await expect(checkServer(server, { signal: controller.signal })).rejects.toThrow("enough");
});
