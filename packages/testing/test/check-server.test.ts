import { RpcError } from "@tenon/jsonrpc2/core";
import { Client, Server, ToolError } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, it } from "vitest";

import {
  checkServer,
  formatReport,
  type CheckServerOptions,
  type OpenSession,
} from "../src/check/check-server.ts";
import type { ServerReport } from "../src/check/report.ts";
import { faulty } from "../src/faults/faulty.ts";
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

  it("no tool of a name that is misspelt, and says so", async () => {
    const server = newServer();
    server.addTool({ name: "greet" }, () => "Hello");
    await expect(checkServer(server, { tools: ["greet", "great"] })).rejects.toThrow(
      'Expected names of tools of the server in tools; got "great".',
    );
  });

  it("a tool that never responds", async () => {
    const server = newServer();
    server.addTool({ name: "hang", ...readOnlyHint }, () => new Promise<string>(() => {}));
    const report = await checkServer(server, { runs: 1, timeoutMs: 20 });
    expect(report.findings.map(({ message }) => message)).toEqual(
      bothEras.map(() => expect.stringContaining("No response in 1 of 1 calls") as string),
    );
  });

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
    expect(await checksOf(strict)).toEqual(["error accepts-valid-arguments"]);
    const never = lax(() => {
      throw new ToolError("There is no such thing.");
    });
    expect(await checksOf(never)).toEqual(["warning accepts-valid-arguments"]);
  });

  it("the smallest arguments with which a tool crashes, and how often it did", async () => {
    const server = newServer();
    const input = {
      type: "object",
      properties: { text: { type: "string", maxLength: 60 }, other: { type: "number" } },
      required: ["text"],
    } as const;
    server.addTool({ name: "t", ...readOnlyHint, input }, ({ text }) => {
      if (text.length > 9) {
        throw new TypeError("too long for me");
      }
      return "fine";
    });
    const { findings } = await checkServer(server);
    expect(findings.map(({ check, severity }) => `${severity} ${check}`)).toEqual(
      Array(2).fill("error accepts-valid-arguments"),
    );
    expect(findings[0]?.message).toMatch(
      /^The tool crashed in \d+ of 20 calls with arguments that inputSchema/,
    );
    expect(findings[0]?.arguments).toEqual({ text: expect.stringMatching(/^[^]{10}$/) as string });
  });

  it("calls that a tool refuses while it serves others, as a warning", async () => {
    const server = newServer();
    server.addTool({ name: "t", ...readOnlyHint, input: numbers }, ({ a }) => {
      if (a < 1) {
        throw new ToolError("a must be at least 1.");
      }
      return "fine";
    });
    const { findings } = await checkServer(server, { runs: 30 });
    expect(findings[0]).toMatchObject({
      check: "accepts-valid-arguments",
      severity: "warning",
      message: expect.stringMatching(/^The tool refused \d+ of 30 .*: a must be at least 1\.$/) as string,
      arguments: { a: 0 },
    });
  });

  it("an output that the server itself refuses, a stack trace and a secret in a failure", async () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const server = newServer();
    server.addTool({ name: "out", ...readOnlyHint, output }, () => ({ n: "one" }) as never);
    server.addTool({ name: "trace", ...readOnlyHint }, () => {
      throw new ToolError("boom\n    at connect (/srv/db.js:12:3) password=hunter2secret");
    });
    const { findings } = await checkServer(server, { runs: 2 });
    const found = findings.slice(0, 3).map(({ check, subject }) => `${subject} ${check}`);
    expect(found).toEqual([
      'tool "out" keeps-output-schema',
      'tool "trace" accepts-valid-arguments',
      'tool "trace" hides-internals',
    ]);
    expect(findings[2]?.message).toContain("shows a stack trace and a secret");
  });

  it.each([
    ["responds to pings", true],
    ["does not", false],
  ])("a tool that ends a server that %s, which is started again for the other tools", async (_, isPinged) => {
    let starts = 0;
    const report = await checkServer(
      async (revision) => {
        starts++;
        const server = newServer();
        if (!isPinged) {
          server.addReceivingMiddleware(
            (next) => (request) =>
              request.method === "ping" ? Promise.reject(new RpcError(-32_601, "no ping")) : next(request),
          );
        }
        server.addTool({ name: "bad", ...readOnlyHint, input: numbers }, async ({ a }, { signal }) => {
          if (a > 3) {
            void server.close({ drainMs: 0 });
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
          }
          return "fine";
        });
        server.addTool({ name: "good", ...readOnlyHint, input: numbers }, () => "fine");
        return (await pair(server, { revision })).session;
      },
      { revisions: bothEras.slice(0, 1) },
    );
    expect(starts).toBeGreaterThan(1);
    expect(report.tools).toEqual(["bad", "good"]);
    expect(report.findings.filter(({ check }) => check !== "survives-cancellation")).toEqual([
      expect.objectContaining({ check: "survives-calls", subject: 'tool "bad"', arguments: { a: 4 } }),
    ]);
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

it("ends with what it found if a server that ended cannot be started again", async () => {
  let starts = 0;
  const report = await checkServer(
    async (revision) => {
      const server = newServer();
      server.addTool({ name: "t", ...readOnlyHint }, () => {
        void server.close();
        return "";
      });
      if (starts++ > 0) {
        throw new Error("gone for good");
      }
      return (await pair(server, { revision })).session;
    },
    { revisions: bothEras.slice(0, 1) },
  );
  expect(report.findings.map(({ message }) => message)).toEqual([
    expect.stringContaining("no session can be opened: gone for good"),
  ]);
});

it("does not compare what only one of the eras has", async () => {
  const server = newServer();
  server.addReceivingMiddleware((next) => async (request) => {
    const result = await next(request);
    return request.method === "tools/list" && request.revision === bothEras[0]
      ? {
          tools: [{ name: "t", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } }],
        }
      : result;
  });
  server.addTool({ name: "t", input: { type: "object" } }, () => "");
  expect(await checksOf(server)).toEqual([]);
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

/** Opens sessions with a server that responds to no call of a tool. */
function silentTools(onCall: () => void): OpenSession {
  const server = newServer();
  server.addTool({ name: "any" }, () => "called");
  return async (revision) => {
    const [here, there] = createInMemoryTransports({ serialize: true });
    await server.connect(there);
    const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
    const fault = { kind: "drop", dir: "write", method: "tools/call" } as const;
    return client.connect(faulty(here, [fault], { onFault: onCall }));
  };
}

it("ends with the reason of its signal while a call of an unknown name has no response", async () => {
  const controller = new AbortController();
  const open = silentTools(() => controller.abort(new Error("enough")));
  await expect(checkServer(open, { signal: controller.signal })).rejects.toThrow("enough");
});

it("waits for the response to a call of an unknown name as long as for any other", async () => {
  const { findings } = await checkServer(
    silentTools(() => {}),
    { timeoutMs: 50 },
  );
  const message = expect.stringContaining("50 ms");
  expect(findings).toMatchObject(
    bothEras.map((revision) => ({ check: "refuses-unknown-names", revision, message })),
  );
});
