import { context, diag, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { RpcError } from "@tenon/jsonrpc2";
import { Client, Server, ToolError, type ClientSession } from "@tenon/mcp";
import { instrument, type InstrumentOptions } from "@tenon/otel";
import type { Revision } from "@tenon/protocol";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { Rounds } from "../src/rounds.ts";
import { startTelemetry } from "./telemetry.ts";

const client: number = SpanKind.CLIENT;
const isSent = ({ kind }: { readonly kind: number }): boolean => kind === client;

interface Opened extends AsyncDisposable {
  readonly session: ClientSession;
  readonly server: Server;
}

async function open(
  revision: Revision,
  {
    server: onServer = {},
    client: onClient = {},
  }: { server?: InstrumentOptions; client?: InstrumentOptions } = {},
): Promise<Opened> {
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.addTool({ name: "add" }, () => "3");
  server.addTool({ name: "broken" }, () => {
    throw new ToolError("out of paper");
  });
  server.addTool({ name: "bad" }, () => {
    throw new RpcError(-32_000, "no");
  });
  server.addTool({ name: "ask" }, async (_, context) => {
    const { action } = await context.elicit({
      message: "Really?",
      requestedSchema: { type: "object", properties: {} },
    });
    return action;
  });
  server.addTool({ name: "baggage" }, () => {
    const shared = propagation.getActiveBaggage()?.getAllEntries() ?? [];
    return shared.map(([key, { value }]) => `${key}=${value}`).join(",");
  });
  server.addPrompt({ name: "greet" }, () => "Hello");
  server.addResource({ uri: "config://app", name: "config" }, () => "{}");
  const client = new Client(
    { name: "measuring", version: "1.0.0" },
    { revisions: [revision], elicitation: { form: () => ({ action: "decline" }) } },
  );
  instrument(server, onServer);
  instrument(client, onClient);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  return {
    session,
    server,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close({ drainMs: 0 });
    },
  };
}

describe.each([legacyRevision, modernRevision])("in %s", (revision) => {
  test("a call has a span on each side, named after the tool, in one trace", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    await opened.session.callTool({ name: "add" });
    const sent = telemetry.named("tools/call add", SpanKind.CLIENT);
    const received = telemetry.named("tools/call add", SpanKind.SERVER);
    expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
    expect(received.spanContext().traceId).toBe(sent.spanContext().traceId);
    const shared = {
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "add",
      "gen_ai.operation.name": "execute_tool",
      "mcp.protocol.version": revision,
    };
    expect(sent.attributes).toEqual(shared);
    expect(received.attributes).toEqual({ ...shared, "jsonrpc.request.id": expect.any(String) });
    expect(sent.status.code).toBe(SpanStatusCode.UNSET);
  });

  test("the active span of the caller is the parent of the request", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    const tracer = trace.getTracer("test");
    await tracer.startActiveSpan("work", async (span) => {
      await opened.session.callTool({ name: "add" });
      span.end();
    });
    const work = telemetry.named("work");
    expect(telemetry.named("tools/call add", SpanKind.CLIENT).parentSpanContext?.spanId).toBe(
      work.spanContext().spanId,
    );
  });

  test("prompts and resources are named in attributes, and a URI is no part of a name", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    await opened.session.getPrompt({ name: "greet" });
    await opened.session.readResource({ uri: "config://app" });
    expect(telemetry.named("prompts/get greet").attributes).toMatchObject({ "gen_ai.prompt.name": "greet" });
    const read = telemetry.named("resources/read", SpanKind.SERVER);
    expect(read.attributes).toMatchObject({ "mcp.resource.uri": "config://app" });
    expect(read.attributes).not.toHaveProperty("gen_ai.operation.name");
  });

  test("a failed tool is a tool_error on both sides, with the text of the failure", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    await opened.session.callTool({ name: "broken" });
    for (const kind of [SpanKind.CLIENT, SpanKind.SERVER]) {
      const span = telemetry.named("tools/call broken", kind);
      expect(span.attributes["error.type"]).toBe("tool_error");
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: "out of paper" });
    }
  });

  test("an exception that a tool did not expect has its own error.type on the server", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    opened.server.addTool({ name: "crash" }, () => {
      throw new RangeError("off by one");
    });
    await opened.session.callTool({ name: "crash" });
    expect(telemetry.named("tools/call crash", SpanKind.SERVER).attributes["error.type"]).toBe("RangeError");
    expect(telemetry.named("tools/call crash", SpanKind.CLIENT).attributes["error.type"]).toBe("tool_error");
  });

  test("an error of the caller is an error for the client, but not for the server", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    await expect(opened.session.callTool({ name: "missing" })).rejects.toThrow();
    const sent = telemetry.named("tools/call missing", SpanKind.CLIENT);
    expect(sent.attributes).toMatchObject({ "error.type": "-32602", "rpc.response.status_code": "-32602" });
    expect(sent.status.code).toBe(SpanStatusCode.ERROR);
    // A client may make up any number of names.
    const received = telemetry.named("tools/call", SpanKind.SERVER);
    expect(received.attributes["rpc.response.status_code"]).toBe("-32602");
    expect(received.attributes).not.toHaveProperty("error.type");
    expect(received.status.code).toBe(SpanStatusCode.UNSET);
  });

  test("durations are histograms without IDs, URIs and unknown names", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision);
    await opened.session.callTool({ name: "add" });
    for (let index = 0; index < 100; index++) {
      await expect(opened.session.callTool({ name: `missing-${index}` })).rejects.toThrow();
      await expect(opened.session.readResource({ uri: `config://${index}` })).rejects.toThrow();
    }
    for (const side of ["client", "server"]) {
      const points = await telemetry.points(`mcp.${side}.operation.duration`);
      const calls = points.filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
      expect(calls).toHaveLength(2);
      expect(points.length).toBeLessThan(10);
      const [known] = calls.filter(({ attributes }) => attributes["gen_ai.tool.name"] === "add");
      expect(known?.value.count).toBe(1);
      expect(known?.value.buckets.boundaries).toEqual([
        0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
      ]);
      expect(Object.keys(known?.attributes ?? {})).not.toContain("jsonrpc.request.id");
    }
  });

  test("baggage is sent only by a client that allows it", async () => {
    await using telemetry = startTelemetry();
    await using closed = await open(revision);
    await using shared = await open(revision, { client: { baggage: true } });
    const sent: unknown[] = [];
    const baggage = propagation.createBaggage({ tenant: { value: "acme" } });
    await context.with(propagation.setBaggage(context.active(), baggage), async () => {
      for (const { server, session } of [closed, shared]) {
        server.addReceivingMiddleware((next) => (request) => {
          sent.push(request.meta["baggage"]);
          return next(request);
        });
        await session.callTool({ name: "add" });
      }
    });
    expect(sent).toEqual([undefined, "tenant=acme"]);
    expect(telemetry.spans().length).toBeGreaterThan(0);
  });

  test("baggage is accepted only by a server that allows it", async () => {
    await using telemetry = startTelemetry();
    await using closed = await open(revision);
    await using shared = await open(revision, { server: { baggage: true } });
    const _meta = { baggage: "tenant=acme", traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
    const texts = [];
    for (const { session } of [closed, shared]) {
      const { content } = await session.callTool({ name: "baggage", _meta });
      texts.push(content);
    }
    expect(texts).toMatchObject([[{ text: "" }], [{ text: "tenant=acme" }]]);
    expect(telemetry.spans().length).toBeGreaterThan(0);
  });

  test("a method without spans is still counted", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision, { client: { spans: (method) => method === "tools/list" } });
    await opened.session.listTools();
    await opened.session.callTool({ name: "add" });
    const sent = telemetry.spans().filter((span) => isSent(span));
    expect(sent.map(({ name }) => name)).toEqual(["tools/list"]);
    const points = await telemetry.points("mcp.client.operation.duration");
    expect(points.map(({ attributes }) => attributes["mcp.method.name"])).toContain("tools/call");
  });

  test("contents are shown only by a function that sees them first", async () => {
    await using telemetry = startTelemetry();
    await using opened = await open(revision, {
      client: {
        capture: {
          arguments: (value) => ({ ...(value as object), secret: "…" }),
          results: () => {
            throw new Error("never seen");
          },
        },
      },
    });
    await opened.session.callTool({ name: "add", arguments: { secret: "hunter2", a: 1 } });
    const sent = telemetry.named("tools/call add", SpanKind.CLIENT);
    expect(sent.attributes["gen_ai.tool.call.arguments"]).toBe('{"secret":"…","a":1}');
    expect(sent.attributes).not.toHaveProperty("gen_ai.tool.call.result");
    const received = telemetry.named("tools/call add", SpanKind.SERVER);
    expect(Object.keys(received.attributes)).not.toContain("gen_ai.tool.call.arguments");
  });

  test("without providers nothing is sent and nothing fails", async () => {
    await using opened = await open(revision);
    let meta: object | undefined;
    opened.server.addReceivingMiddleware((next) => (request) => {
      meta = request.meta;
      return next(request);
    });
    await opened.session.callTool({ name: "add" });
    expect(meta).not.toHaveProperty("traceparent");
  });

  test("after close messages are neither measured nor changed", async () => {
    await using telemetry = startTelemetry();
    const server = new Server({ name: "measured", version: "1.0.0" });
    server.addTool({ name: "add" }, () => "3");
    const instrumentation = instrument(server);
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const client = new Client({ name: "plain", version: "1.0.0" }, { revisions: [revision] });
    await using session = await client.connect(here);
    await session.callTool({ name: "add" });
    await instrumentation.close();
    await instrumentation.close();
    const before = telemetry.spans().length;
    await session.callTool({ name: "add" });
    expect(telemetry.spans()).toHaveLength(before);
    await server.close({ drainMs: 0 });
  });

  test("a session is measured from its beginning to its end", async () => {
    await using telemetry = startTelemetry();
    {
      await using opened = await open(revision);
      await opened.session.listTools();
    }
    for (const side of ["client", "server"]) {
      const points = await telemetry.points(`mcp.${side}.session.duration`);
      expect(points).toHaveLength(1);
      expect(points[0]?.value.count).toBe(1);
      expect(points[0]?.attributes).not.toHaveProperty("error.type");
    }
  });
});

test("a request that needs input is a span for each round, and the later ones link to the first", async () => {
  await using telemetry = startTelemetry();
  await using opened = await open(modernRevision);
  await opened.session.callTool({ name: "ask" });
  const rounds = telemetry.spans().filter((span) => span.name === "tools/call ask" && isSent(span));
  expect(rounds).toHaveLength(2);
  expect(rounds[0]?.links).toEqual([]);
  expect(rounds[1]?.links.map((link) => link.context.spanId)).toEqual([rounds[0]?.spanContext().spanId]);
});

test("a request of the server is a child of the call that made it", async () => {
  await using telemetry = startTelemetry();
  await using opened = await open(legacyRevision);
  await opened.session.callTool({ name: "ask" });
  const call = telemetry.named("tools/call ask", SpanKind.SERVER);
  const asked = telemetry.named("elicitation/create", SpanKind.CLIENT);
  const answered = telemetry.named("elicitation/create", SpanKind.SERVER);
  expect(asked.parentSpanContext?.spanId).toBe(call.spanContext().spanId);
  expect(answered.parentSpanContext?.spanId).toBe(asked.spanContext().spanId);
});

test("telemetry that is registered after the server is found with the next message", async () => {
  await using opened = await open(legacyRevision);
  await opened.session.callTool({ name: "add" });
  await using telemetry = startTelemetry();
  await opened.session.callTool({ name: "add" });
  const points = await telemetry.points("mcp.server.operation.duration");
  expect(points.map(({ attributes }) => attributes["mcp.method.name"])).toContain("tools/call");
  expect(telemetry.named("tools/call add", SpanKind.SERVER).kind).toBe(SpanKind.SERVER);
});

test("a misspelt option is refused", () => {
  const server = new Server({ name: "measured", version: "1.0.0" });
  expect(() => instrument(server, { tracr: undefined, spanz: () => true } as never)).toThrow(/spanz.*spans/);
});

test("a server reports initialize and unknown methods, whose names become no series", async () => {
  await using telemetry = startTelemetry();
  await using opened = await open(legacyRevision);
  const initialized = telemetry.named("initialize", SpanKind.SERVER);
  expect(initialized.attributes).toMatchObject({
    "mcp.method.name": "initialize",
    "mcp.protocol.version": legacyRevision,
  });
  const [here, there] = createInMemoryTransports();
  await opened.server.connect(there);
  const connection = await here.connect();
  for (let id = 0; id < 20; id++) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": modernRevision,
      "io.modelcontextprotocol/clientCapabilities": {},
      traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
    };
    await connection.write({ jsonrpc: "2.0", id, method: `strange/${id}`, params: { _meta } });
    await connection.read();
  }
  await connection.close();
  const unknown = telemetry.spans().filter(({ name }) => name === "_OTHER");
  expect(unknown).toHaveLength(20);
  expect(unknown[7]?.attributes).toMatchObject({
    "mcp.method.name": "strange/7",
    "rpc.response.status_code": "-32601",
    "jsonrpc.request.id": "7",
  });
  expect(unknown[7]?.spanContext().traceId).toBe("a".repeat(32));
  expect(unknown[7]?.parentSpanContext?.spanId).toBe("b".repeat(16));
  const points = await telemetry.points("mcp.server.operation.duration");
  const methods = points.map(({ attributes }) => attributes["mcp.method.name"]);
  expect(methods).toContain("initialize");
  expect(methods.filter((method) => String(method).startsWith("strange"))).toEqual([]);
});

test("1,000 users, each with an ID, a session and an address, add no series", async () => {
  await using telemetry = startTelemetry();
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.addTool({ name: "add" }, () => "3");
  instrument(server);
  const call = async (user: number): Promise<void> => {
    const message = {
      jsonrpc: "2.0" as const,
      id: `request-${user}`,
      method: "tools/call",
      params: {
        name: "add",
        _meta: {
          "io.modelcontextprotocol/protocolVersion": modernRevision,
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: `client-${user}`, version: "1.0.0" },
        },
      },
    };
    const auth = { principal: `user-${user}`, clientId: `app-${user}` };
    const address = `2001:db8::${user.toString(16)}`;
    const http = { method: "POST", url: "/mcp", headers: new Map<string, never>(), address };
    const answered = deferred();
    server.handle(message, {
      extra: { auth, http },
      answer: () => answered.resolve(),
      notify: () => undefined,
      ended: () => {},
    });
    await answered.promise;
  };
  await call(0);
  const before = await telemetry.points("mcp.server.operation.duration");
  for (let user = 1; user <= 1_000; user++) {
    await call(user);
  }
  const after = await telemetry.points("mcp.server.operation.duration");
  expect(after).toHaveLength(before.length);
  const [calls] = after.filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
  expect(calls?.value.count).toBe(1_001);
});

test("a request that middleware refuses before anything is sent has a span that ends", async () => {
  await using telemetry = startTelemetry();
  const server = new Server({ name: "s", version: "1.0.0" });
  server.addTool({ name: "add" }, () => "3");
  const client = new Client({ name: "c", version: "1.0.0" }, { revisions: [modernRevision] });
  client.addSendingMiddleware((next) => (call) => {
    if (call.method === "tools/call") {
      throw new Error("No calls today.");
    }
    return next(call);
  });
  instrument(client);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using session = await client.connect(here);
  await expect(session.callTool({ name: "add" })).rejects.toThrow("No calls today.");
  expect(telemetry.named("tools/call add").status).toEqual({
    code: SpanStatusCode.ERROR,
    message: "No calls today.",
  });
});

test("a remote peer does not choose how long a span is", async () => {
  await using telemetry = startTelemetry();
  const long = "x".repeat(100_000);
  await using opened = await open(modernRevision);
  opened.server.addTool({ name: "long" }, () => {
    throw new RpcError(1, long);
  });
  await expect(opened.session.callTool({ name: "long" })).rejects.toThrow("x");
  const lengths = telemetry.spans().map(({ status }) => status.message?.length ?? 0);
  expect(Math.max(...lengths)).toBe(500);
});

test("a round is linked to the first one, however long the states between them are", () => {
  const rounds = new Rounds();
  const first = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 };
  const second = { ...first, spanId: "3".repeat(16) };
  const [long, longer] = ["x".repeat(10_000), `y${"x".repeat(60_000)}`];
  rounds.ended({}, { requestState: long }, first);
  expect(rounds.link({ requestState: `y${long.slice(1)}` })).toEqual([]);
  expect(rounds.link({ requestState: long })).toEqual([{ context: first }]);
  rounds.ended({ requestState: long }, { requestState: longer }, second);
  expect(rounds.link({ requestState: long })).toEqual([]);
  expect(rounds.link({ requestState: longer })).toEqual([{ context: first }]);
});

test("a round is linked by its state and by no other, and the oldest states are forgotten", () => {
  const rounds = new Rounds();
  const span = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 };
  // A frequent hash of strings is equal for these two.
  rounds.ended({}, { requestState: "Aa" }, span);
  expect(rounds.link({ requestState: "BB" })).toEqual([]);
  const states = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(100_000, "x"));
  states.forEach((requestState) => rounds.ended({}, { requestState }, span));
  const kept = ["Aa", ...states].filter((requestState) => rounds.link({ requestState }).length > 0);
  expect(kept).toEqual(states.slice(-10));
});

test("options that throw errors fail no message, and are reported to the logger of OpenTelemetry", async () => {
  const error = vi.fn();
  const none = (): void => undefined;
  diag.setLogger({ error, warn: none, info: none, debug: none, verbose: none });
  onTestFinished(() => diag.disable());
  await using telemetry = startTelemetry();
  const fail = (): never => {
    throw new Error("The configuration is not loaded.");
  };
  const options: InstrumentOptions = { spans: fail, sessionId: fail };
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.addTool({ name: "add" }, () => "3");
  await using client = new Client({ name: "measuring", version: "1.0.0" }, { revisions: [legacyRevision] });
  instrument(server, options);
  instrument(client, options);
  const [here, there] = createInMemoryTransports();
  await server.connect({
    connect: async (its) => Object.assign(await there.connect(its), { sessionId: "secret" }),
  });
  const session = await client.connect(here);
  expect(await session.callTool({ name: "add" })).toMatchObject({ content: [{ text: "3" }] });
  const { attributes } = telemetry.named("tools/call add", SpanKind.SERVER);
  expect(attributes["mcp.session.id"]).toMatch(/^[\da-f-]{36}$/);
  for (const option of ["spans", "sessionId"]) {
    expect(error).toHaveBeenCalledWith(expect.stringContaining(option), expect.any(Error));
  }
});
