import type { Message, Request, Transport } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server, type ClientOptions } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

const info = { name: "client", version: "1.0.0" };

/**
 * A server of the test's own making: answers each request with what `answer` returns, or not at
 * all.
 */
function scripted(answer: (request: Request) => object | undefined): {
  transport: Transport;
  seen: string[];
  /** Resolves when the client has ended the connection. */
  ended: Promise<void>;
} {
  const [here, there] = createInMemoryTransports();
  const seen: string[] = [];
  const ended = (async () => {
    const connection = await there.connect();
    for (let message = await connection.read(); message !== undefined; message = await connection.read()) {
      if ("method" in message) {
        seen.push(message.method);
        const reply = "id" in message ? answer(message) : undefined;
        if (reply !== undefined && "id" in message) {
          await connection.write({ jsonrpc: "2.0", id: message.id, ...reply } as Message);
        }
      }
    }
  })();
  return { transport: here, seen, ended };
}

const initialized = (protocolVersion: string): object => ({
  result: { protocolVersion, capabilities: {}, serverInfo: { name: "old", version: "0" } },
});

function legacyServer(onDiscover: object | undefined, version = "2025-06-18"): ReturnType<typeof scripted> {
  return scripted(({ method }) => (method === "initialize" ? initialized(version) : onDiscover));
}

test.each([
  ["-32601", { error: { code: -32601, message: "no" } }],
  ["-32602", { error: { code: -32602, message: "no" } }],
  ["an odd error", { error: { code: 7, message: "no" } }],
  ["a result that is no discovery", { result: {} }],
])(
  "a server that answers the probe with %s gets initialize on the same connection (R-213, R-214)",
  async (_, reply) => {
    const { transport, seen } = legacyServer(reply);
    await using session = await new Client(info).connect(transport);
    expect(session.revision).toBe("2025-06-18");
    expect(seen).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  },
);

test("a server that stays silent on the probe gets initialize after probeTimeoutMs (R-213)", async () => {
  const { transport } = legacyServer(undefined);
  await using session = await new Client(info, { limits: { probeTimeoutMs: 1 } }).connect(transport);
  expect(session.era).toBe("legacy");
});

test("R-710: the extension by which credentials are obtained is declared, beside those of the client", async () => {
  const extension = "io.modelcontextprotocol/oauth-client-credentials";
  const [here, there] = createInMemoryTransports();
  await using _ = await new Server(info, { revisions: [modernRevision] }).connect(there);
  const transport: Transport = {
    authorization: { extension },
    connect: (options) => here.connect(options),
  };
  await using session = await new Client(info, { extensions: { "com.example/own": { level: 1 } } }).connect(
    transport,
  );
  expect(session.declaredCapabilities.extensions).toEqual({
    [extension]: {},
    "com.example/own": { level: 1 },
  });
});

test("while requests wait for a user who logs in, neither the probe nor a call times out", async () => {
  const clock = createVirtualClock();
  const held = deferred<object>();
  const asked = deferred();
  const [here, there] = createInMemoryTransports();
  await using _ = await new Server(info, { revisions: [modernRevision] }).connect(there);
  let tell: (isWaiting: boolean) => void = () => {};
  const transport: Transport = {
    authorization: {
      waiting(listener) {
        tell = listener;
        return () => (tell = () => {});
      },
    },
    async connect() {
      const connection = await here.connect();
      const write = connection.write.bind(connection);
      return Object.assign(connection, {
        async write(message: Parameters<typeof write>[0]) {
          asked.resolve();
          await held.promise;
          await write(message);
        },
      });
    },
  };
  const connecting = new Client(info, { clock }).connect(transport);
  await asked.promise;
  tell(true);
  clock.advance(1_800_000);
  tell(false);
  held.resolve({});
  await using session = await connecting;
  expect(session.revision).toBe(modernRevision);
});

test("a server that names only a legacy revision in -32022 gets initialize with it (R-224)", async () => {
  const { transport } = legacyServer(
    { error: { code: -32022, message: "no", data: { supported: ["2025-06-18"], requested: "2026-07-28" } } },
    "2025-06-18",
  );
  await using session = await new Client(info).connect(transport);
  expect(session.revision).toBe("2025-06-18");
});

test("a server that dies of the probe is connected to again and asked to initialize (R-226)", async () => {
  let attempts = 0;
  const transport: Transport = {
    async connect(options) {
      attempts++;
      if (attempts === 1) {
        const [here, there] = createInMemoryTransports();
        const connection = await there.connect();
        void connection.read().then(() => connection.close());
        return here.connect(options);
      }
      return legacyServer(undefined).transport.connect(options);
    },
  };
  await using session = await new Client(info).connect(transport);
  expect([attempts, session.era]).toEqual([2, "legacy"]);
});

test("a counter-offer that the client does not speak ends the connection with UNSUPPORTED_REVISION (R-163)", async () => {
  const { transport, ended } = legacyServer({ error: { code: -32601, message: "no" } }, "1999-01-01");
  await expect(new Client(info).connect(transport)).rejects.toMatchObject({ code: "UNSUPPORTED_REVISION" });
  await ended;
});

async function pair(client: ClientOptions, server: ClientOptions["revisions"]): Promise<string> {
  const [here, there] = createInMemoryTransports();
  await new Server({ name: "server", version: "1.0.0" }, { revisions: server }).connect(there);
  await using session = await new Client(info, client).connect(here);
  await session.ping();
  return session.revision;
}

test("every dual-era pairing agrees on the newest common revision (R-221)", async () => {
  expect(await pair({}, undefined)).toBe("2026-07-28");
  expect(await pair({}, ["2025-03-26", "2025-06-18"])).toBe("2025-06-18");
  expect(await pair({ revisions: ["2024-11-05"] }, undefined)).toBe("2024-11-05");
  expect(await pair({ revisions: ["2024-11-05", "2026-07-28"] }, ["2026-07-28"])).toBe("2026-07-28");
});

test("pairings with nothing in common fail with an error that says so (R-221)", async () => {
  await expect(pair({ revisions: [modernRevision] }, [legacyRevision])).rejects.toMatchObject({
    code: "UNSUPPORTED_REVISION",
  });
  await expect(pair({ revisions: [legacyRevision] }, [modernRevision])).rejects.toMatchObject({
    code: -32602,
  });
});

test("with the agreement of an earlier session a modern server is not asked again (R-194, R-219)", async () => {
  const server = new Server({ name: "server", version: "1.0.0" });
  const client = new Client(info);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const first = await client.connect(here);
  const stored = JSON.parse(JSON.stringify(first.negotiated)) as typeof first.negotiated;
  await first.close();

  const { transport, seen } = scripted(() => ({ result: { tools: [] } }));
  await using session = await client.connect(transport, { prior: stored });
  expect(session.serverInfo).toEqual({ name: "server", version: "1.0.0" });
  await session.listTools();
  expect(seen).toEqual(["tools/list"]);
});

test("a modern client answers no request of a server (R-121, R-256, T-33)", async () => {
  const [here, there] = createInMemoryTransports();
  const connection = await there.connect();
  const connecting = new Client(info, { revisions: [modernRevision] }).connect(here);
  const probe = (await connection.read()) as Request;
  await connection.write({
    jsonrpc: "2.0",
    id: probe.id,
    result: {
      resultType: "complete",
      supportedVersions: [modernRevision],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
    },
  });
  await using session = await connecting;
  await connection.write({ jsonrpc: "2.0", id: 99, method: "ping" });
  const listing = session.listTools();
  const next = (await connection.read()) as Request;
  expect(next.method).toBe("tools/list");
  await connection.write({ jsonrpc: "2.0", id: next.id, result: { tools: [] } });
  await listing;
});

test("an unknown resultType makes the answer invalid, a missing one means complete (R-113, R-114, T-51)", async () => {
  let result: object = { tools: [] };
  const { transport } = scripted(({ method }) =>
    method === "server/discover"
      ? { result: { supportedVersions: [modernRevision], capabilities: { tools: {} } } }
      : { result },
  );
  await using session = await new Client(info).connect(transport);
  expect(await session.listTools()).toEqual({ tools: [] });
  result = { tools: [], resultType: "strange" };
  await expect(session.listTools()).rejects.toMatchObject({ code: "INVALID_RESULT" });
});

test("an empty cursor means another page, and a repeated one is an error (R-566, T-53)", async () => {
  const cursors: unknown[] = [];
  const { transport } = scripted(({ method, params }) => {
    if (method === "server/discover") {
      return { result: { supportedVersions: [modernRevision], capabilities: { tools: {} } } };
    }
    const { cursor } = params as { cursor?: string };
    cursors.push(cursor);
    return { result: { tools: [], nextCursor: cursor === undefined ? "" : "again" } };
  });
  await using session = await new Client(info, { strictness: "strict" }).connect(transport);
  const iterate = async (): Promise<void> => {
    for await (const tool of session.tools()) {
      void tool;
    }
  };
  await expect(iterate()).rejects.toMatchObject({ code: "INVALID_RESULT" });
  expect(cursors).toEqual([undefined, "", "again"]);
});

test("aborting connect ends the connection and rejects with the reason", async () => {
  const { transport } = scripted(() => undefined);
  const controller = new AbortController();
  const connecting = new Client(info).connect(transport, { signal: controller.signal });
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(connecting).rejects.toBe(reason);
});

test("an abort of connect rejects at once, and the connection is closed behind it (T-080)", async () => {
  const closing = deferred();
  const closed = deferred();
  const { transport } = scripted(() => undefined);
  const slow: Transport = {
    async connect(options) {
      const connection = await transport.connect(options);
      const close = connection.close.bind(connection);
      return Object.assign(connection, {
        async close(reason?: unknown) {
          closing.resolve(undefined);
          await closed.promise;
          await close(reason);
        },
      });
    },
  };
  const controller = new AbortController();
  const client = new Client(info);
  const connecting = client.connect(slow, { signal: controller.signal });
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(connecting).rejects.toBe(reason);
  await closing.promise;
  let isClosed = false;
  const end = client.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  // Who closes the client still waits for what the attempt had opened.
  expect(isClosed).toBe(false);
  closed.resolve(undefined);
  await end;
});

test("a session that comes in the moment of the abort is closed, not leaked", async () => {
  const controller = new AbortController();
  const [here, there] = createInMemoryTransports();
  const server = new Server({ name: "server", version: "1.0.0" });
  await server.connect(there);
  const client = new Client(info, {
    onToolsChanged: () => {},
  });
  const connecting = client.connect(here, { signal: controller.signal });
  client.addSendingMiddleware((next) => async (call) => {
    controller.abort(new Error("enough"));
    return next(call);
  });
  await expect(connecting).rejects.toThrow("enough");
  await client.close();
  expect([...client.sessions()]).toEqual([]);
  await server.close();
});
