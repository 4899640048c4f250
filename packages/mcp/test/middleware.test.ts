import { isRpcError, RpcError } from "@tenon/jsonrpc2";
import {
  Client,
  getToolError,
  receivingMethod,
  sendingMethod,
  Server,
  ToolError,
  type ClientSession,
  type ReceivingMiddleware,
  type SendingMiddleware,
  type ServerRequest,
} from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, expectTypeOf, test } from "vitest";

interface Pair extends AsyncDisposable {
  readonly client: Client;
  readonly server: Server;
  readonly session: ClientSession;
}

async function connect(revision: Revision, setUp?: (client: Client) => void): Promise<Pair> {
  const server = new Server({ name: "server", version: "1.0.0" });
  server.addTool({ name: "echo", inputSchema: { type: "object" } }, (args) => JSON.stringify(args));
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  setUp?.(client);
  const session = await client.connect(here);
  return { client, server, session, [Symbol.asyncDispose]: () => session.close() };
}

const receiving =
  (trace: string[], name: string): ReceivingMiddleware<ServerRequest> =>
  (next) =>
  async (request) => {
    trace.push(`${name} in`);
    const result = await next(request);
    trace.push(`${name} out`);
    return result;
  };

test.each(bothEras)(
  "the first receiving middleware listed runs first, and one added later wraps what is there, in %s (S-076, S-079, S-080)",
  async (revision) => {
    await using pair = await connect(revision);
    const trace: string[] = [];
    pair.server.addReceivingMiddleware(receiving(trace, "1"), receiving(trace, "2"));
    pair.server.addReceivingMiddleware(receiving(trace, "0"));
    await pair.session.callTool({ name: "echo" });
    expect(trace).toEqual(["0 in", "1 in", "2 in", "2 out", "1 out", "0 out"]);
  },
);

test.each(bothEras)(
  "so does the first sending middleware listed, in %s (S-077, S-079, S-080)",
  async (revision) => {
    await using pair = await connect(revision);
    const trace: string[] = [];
    const sending =
      (name: string): SendingMiddleware<ClientSession> =>
      (next) =>
      async (call) => {
        trace.push(`${name} ${call.method}`);
        return next(call);
      };
    pair.client.addSendingMiddleware(sending("1"), sending("2"));
    pair.client.addSendingMiddleware(sending("0"));
    await pair.session.callTool({ name: "echo" });
    expect(trace).toEqual(["0 tools/call", "1 tools/call", "2 tools/call"]);
  },
);

test("both kinds exist on both sides (S-078)", async () => {
  const seen: string[] = [];
  await using pair = await connect(legacyRevision, (client) => {
    client.addReceivingMiddleware((next) => (request) => {
      seen.push(`client receives ${request.method}`);
      return next(request);
    });
    client.addSendingMiddleware((next) => (call) => {
      seen.push(`client sends ${call.method}`);
      return next(call);
    });
  });
  pair.server.addReceivingMiddleware((next) => (request) => {
    seen.push(`server receives ${request.method}`);
    return next(request);
  });
  pair.server.addSendingMiddleware((next) => (call) => {
    seen.push(`server sends ${call.method}`);
    return next(call);
  });
  seen.length = 0;
  await pair.session.ping();
  const [session] = pair.server.sessions();
  await session?.request("ping");
  expect(seen).toEqual([
    "client sends ping",
    "server receives ping",
    "server sends ping",
    "client receives ping",
  ]);
});

test.each(bothEras)(
  "middleware sees session, method, params and meta, may change params, and answer in the handler's place, in %s (S-081, S-082)",
  async (revision) => {
    await using pair = await connect(revision);
    pair.server.addReceivingMiddleware((next) => (request) => {
      if (request.method !== "tools/call") {
        return next(request);
      }
      const { session, params, meta } = request;
      expect(session?.server).toBe(pair.server);
      if (params["name"] === "instead") {
        return { content: [{ type: "text", text: "answered" }] };
      }
      return next(
        request.with({ params: { ...params, arguments: { trace: meta["com.example/trace"] ?? "none" } } }),
      );
    });
    const call = { name: "echo", _meta: { "com.example/trace": "t1" } } as { name: string };
    expect(await pair.session.callTool(call)).toMatchObject({ content: [{ text: '{"trace":"t1"}' }] });
    expect(await pair.session.callTool({ name: "instead" })).toMatchObject({
      content: [{ text: "answered" }],
    });
  },
);

test.each(bothEras)(
  "receiving middleware reads the original error behind a result with isError, in %s (S-093)",
  async (revision) => {
    await using pair = await connect(revision);
    const told = new ToolError("told");
    const secret = new Error("not told");
    pair.server.addTool({ name: "told" }, () => {
      throw told;
    });
    pair.server.addTool({ name: "secret" }, async () => {
      throw secret;
    });
    pair.server.addTool({ name: "own" }, () => ({ content: [], isError: true }));
    pair.server.addTool({ name: "strict" }, () => "");
    const errors: unknown[] = [];
    pair.server.addReceivingMiddleware((next) => async (request) => {
      const result = await next(request);
      errors.push(getToolError(result));
      return result;
    });
    for (const name of ["told", "secret", "own", "echo"]) {
      await pair.session.callTool({ name });
    }
    expect(errors).toEqual([told, secret, undefined, undefined]);
    expect(errors[0]).toBe(told);
    await pair.session.callTool({ name: "strict", arguments: { unknown: 1 } });
    expect(isRpcError(errors[4]) && errors[4].code).toBe(-32602);
  },
);

test.each(bothEras)(
  "an RpcError crosses the wire with code, message and data, whoever throws it, in %s (S-087, S-088, S-089)",
  async (revision) => {
    await using pair = await connect(revision);
    pair.server.addReceivingMiddleware((next) => (request) => {
      if (request.method === "tools/list") {
        throw new RpcError(7001, "quota", { data: { left: 0 } });
      }
      return next(request);
    });
    const error: unknown = await pair.session.listTools().catch((reason: unknown) => reason);
    expect(isRpcError(error) && [error.code, error.message, error.data]).toEqual([
      7001,
      "quota",
      { left: 0 },
    ]);
  },
);

test.each(bothEras)(
  "middleware for one method has its types, on both sides, in %s (S-076, S-077)",
  async (revision) => {
    await using pair = await connect(revision);
    pair.server.addReceivingMiddleware(
      receivingMethod("tools/list", async (request, next) => {
        expectTypeOf(request.params.cursor).toEqualTypeOf<string | undefined>();
        const result = await next(request);
        return { ...result, tools: [...result.tools, { name: "more", inputSchema: { type: "object" } }] };
      }),
    );
    pair.client.addSendingMiddleware(
      sendingMethod("tools/list", async (call, next) => {
        const result = await next(call);
        return { ...result, tools: result.tools.toReversed() };
      }),
    );
    const { tools } = await pair.session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["more", "echo"]);
  },
);
