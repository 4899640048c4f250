import { createServer } from "node:http";

import { Manager, type ServerSpec } from "@tenon/host";
import { nodeTransports, parseConfig, selectServers, trustHash } from "@tenon/host/node";
import { legacyRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { expect, onTestFinished, test } from "vitest";

/** The program of a server with three tools: rows of a database, a small result and a long text. */
const server = `
const rows = Array.from({ length: 20000 }, (_, id) => ({ id, a: "x" + id, b: id / 7, c: null, d: true, e: "e" }));
const results = {
  rows: { content: [], structuredContent: { rows } },
  deep: { content: [], structuredContent: JSON.parse('{"a":'.repeat(600) + "1" + "}".repeat(600)) },
  long: { content: [{ type: "text", text: "y".repeat(3000000) }] },
  small: { content: [{ type: "text", text: "small" }] },
};
export function answer({ id, method, params }) {
  const ok = (result) => ({ jsonrpc: "2.0", id, result });
  if (id === undefined) return undefined;
  if (method === "initialize") return ok({ protocolVersion: "${legacyRevision}", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  if (method === "tools/list") return ok({ tools: Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" } })) });
  if (method === "tools/call") return ok(results[params.name]);
  if (method === "ping") return ok({});
  return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
}
`;
const source = `data:text/javascript,${encodeURIComponent(server)}`;
const program = `import { answer } from ${JSON.stringify(source)};
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const response = answer(JSON.parse(line));
  if (response) process.stdout.write(JSON.stringify(response) + "\\n");
}`;

type Answer = (message: unknown) => object | undefined;

async function httpSpec(asEvents: boolean): Promise<ServerSpec> {
  const { answer } = (await import(source)) as { answer: Answer };
  const http = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      const message = request.method === "POST" ? answer(JSON.parse(body)) : undefined;
      if (message === undefined) {
        response.writeHead(request.method === "POST" ? 202 : 405).end();
      } else if (asEvents) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${JSON.stringify(message)}\n\n`);
      } else {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
      }
    })();
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { type: "http", url: await originOnFreePort(http) };
}

const specs = {
  "HTTP, JSON": () => httpSpec(false),
  "HTTP, events": () => httpSpec(true),
  stdio: () =>
    Promise.resolve<ServerSpec>({
      type: "stdio",
      command: process.execPath,
      args: ["--input-type=module", "-e", program],
    }),
};

function managerOf(spec: ServerSpec, transports = nodeTransports()): Manager {
  const manager = new Manager({
    servers: { one: spec },
    transports,
    policy: { limits: { maxResultBytes: 10_000_000 } },
  });
  onTestFinished(() => manager.close());
  return manager;
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no error",
    (error: unknown) => error,
  );

test.each(Object.entries(specs))(
  "a result of 140,000 values arrives with default limits over %s",
  async (_, specOf) => {
    const manager = managerOf(await specOf());
    await manager.connectAll();
    const result = await manager.callTool("one", "rows", {});
    expect((result.structuredContent as { rows: unknown[] }).rows).toHaveLength(20_000);
  },
);

test.each(Object.entries(specs))(
  "a result above a limit names limit, value and option over %s, and the server is not shut out",
  async (_, specOf) => {
    const limits = { maxMessageBytes: 2_000_000, maxValues: 50_000 };
    const manager = managerOf(await specOf(), nodeTransports({ limits }));
    await manager.connectAll();
    for (const [tool, name, maximum] of [
      ["rows", "maxValues", 50_000],
      ["deep", "maxDepth", 512],
      ["long", "maxMessageBytes", 2_000_000],
    ] as const) {
      for (let attempt = 0; attempt < 6; attempt++) {
        expect(await failure(manager.callTool("one", tool, {}))).toMatchObject({
          code: "LIMIT_EXCEEDED",
          delivered: "yes",
          retryable: false,
          message: expect.stringMatching(new RegExp(`${maximum} \\(${name}\\).*limits\\.${name}`)) as string,
          cause: { code: "LIMIT_EXCEEDED", received: { name, maximum } },
        });
      }
    }
    expect(await manager.callTool("one", "small", {})).toMatchObject({ content: [{ text: "small" }] });
  },
);

test("the limits of one server come from its entry in a configuration file, and override those of all", async () => {
  const { args, command } = (await specs.stdio()) as { command: string; args: readonly string[] };
  const text = JSON.stringify({ mcpServers: { one: { command, args, limits: { maxMessageBytes: 1000 } } } });
  const config = parseConfig(text);
  const trusted = new Set(config.servers.map(({ trust }) => trust));
  const spec = selectServers(config, { trusted }).servers["one"];
  expect(spec).toMatchObject({ limits: { maxMessageBytes: 1000 } });
  const manager = managerOf(spec as ServerSpec, nodeTransports({ limits: { maxMessageBytes: 1e9 } }));
  await manager.connectAll();
  expect(await failure(manager.callTool("one", "long", {}))).toMatchObject({
    code: "LIMIT_EXCEEDED",
    cause: { received: { name: "maxMessageBytes", maximum: 1000 } },
  });
});

test("consent does not cover tools and times that were not in the entry (HO-101)", () => {
  const spec = { type: "stdio", command: "node" } as const;
  const policies = [
    {},
    { allow: ["read"] },
    { allow: ["read", "write"] },
    { deny: ["write"] },
    { deny: [] },
    { limits: { totalTimeoutMs: 1000 } },
    { readOnly: true },
  ];
  const hashes = policies.map((policy) => trustHash({ ...spec, policy }));
  expect(new Set(hashes).size).toBe(policies.length);
  expect(trustHash(spec)).toBe(hashes[0]);
  expect(trustHash({ type: "http", url: "https://a.example/", policy: { allow: ["a"] } })).not.toBe(
    trustHash({ type: "http", url: "https://a.example/" }),
  );
});
