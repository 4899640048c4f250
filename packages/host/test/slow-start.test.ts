import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { wrapTransport, type Message, type Transport } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { createEraCache, StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

const info = { name: "test", version: "1.0.0" };

const discovery = {
  resultType: "complete",
  supportedVersions: [modernRevision],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};
const handshake = {
  protocolVersion: legacyRevision,
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};
const unknownMethod = { error: { code: -32601, message: "Method not found" } };

interface Kind {
  /** What it says to each method. */
  readonly says: Readonly<Record<string, object>>;
  readonly revision: string;
}

/** What servers of other SDKs say, as recorded, when they find both requests waiting. */
const kinds: Readonly<Record<string, Kind>> = {
  "Python 2.x": {
    says: {
      "server/discover": { result: discovery },
      initialize: {
        error: {
          code: -32022,
          message: `connection is serving the ${modernRevision} protocol; the initialize handshake is not accepted`,
          data: { supported: [modernRevision] },
        },
      },
    },
    revision: modernRevision,
  },
  "Go 1.8": {
    says: {
      "server/discover": { result: discovery },
      initialize: { error: { code: 0, message: 'duplicate "initialize" received' } },
    },
    revision: modernRevision,
  },
  rmcp: {
    says: { "server/discover": { result: discovery }, initialize: { result: handshake } },
    revision: modernRevision,
  },
  "Python 1.x": {
    says: {
      "server/discover": { error: { code: -32602, message: "Invalid request parameters" } },
      initialize: { result: handshake },
    },
    revision: legacyRevision,
  },
  "one that ignores what it does not know": {
    says: { "server/discover": {}, ping: {}, initialize: { result: handshake } },
    revision: legacyRevision,
  },
};

/** Listens on a free port. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const http = createServer(answer);
  const origin = await originOnFreePort(http);
  return {
    url: `${origin}/mcp`,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** A transport that tells which methods were written. */
function watched(inner: Transport) {
  const methods: string[] = [];
  const waiting = new Map<string, () => void>();
  const transport = wrapTransport(inner, {
    onWrite(message) {
      const { method } = message as Message & { method?: string };
      methods.push(method ?? "");
      waiting.get(method ?? "")?.();
      return message;
    },
  });
  const wrote = (method: string): Promise<void> =>
    methods.includes(method)
      ? Promise.resolve()
      : new Promise((resolve) => {
          waiting.set(method, resolve);
        });
  return { transport, methods, wrote };
}

/** Connects by a clock that goes on until `initialize` was sent. */
async function connectLate(inner: Transport, onBoth: () => void): Promise<ClientSession> {
  const clock = createVirtualClock();
  const { transport, wrote } = watched(inner);
  const connecting = new Client(info, { clock, onError: () => {} }).connect(transport);
  await wrote("server/discover");
  clock.advance(15_000);
  await wrote("initialize");
  onBoth();
  return connecting;
}

/** A program that reads its input only when the gate has answered. */
const program = (gate: string, says: Kind["says"]): string => `
  const says = ${JSON.stringify(says)};
  await fetch(${JSON.stringify(gate)});
  for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line);
    const said = says[method] ?? ${JSON.stringify(unknownMethod)};
    if (id !== undefined && Object.keys(said).length > 0) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
  }`;

test.each(Object.entries(kinds))(
  "F1: a program of %s that starts after initialize was sent is connected to, in the version that it speaks",
  async (_, { says, revision }) => {
    const waiting = deferred<ServerResponse>();
    await using gate = await serve((_, response) => waiting.resolve(response));
    const args = ["--input-type=module", "-e", program(gate.url, says)];
    const transport = new CommandTransport({ command: process.execPath, args });
    await using session = await connectLate(transport, () => {
      void waiting.promise.then((response) => response.end());
    });
    expect(session.revision).toBe(revision);
    await expect(session.listTools()).rejects.toMatchObject({ code: -32601 });
  },
);

/** A server whose first answers wait until `initialize` has come, as in a cold start. */
async function coldServer(says: Kind["says"], isWarm = false) {
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const server = await serve((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      const { id, method = "" } = JSON.parse(text) as { id?: number; method?: string };
      seen.push(method);
      const said = says[method] ?? unknownMethod;
      const answer = (): void => {
        if (id === undefined) {
          response.writeHead(202).end();
        } else if (Object.keys(said).length > 0) {
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
        }
      };
      held.push(answer);
      isWarm ||= seen.includes("initialize");
      if (isWarm) {
        // The newest first: nothing orders the exchanges of HTTP.
        for (const each of held.splice(0).toReversed()) {
          each();
        }
      }
    });
  });
  return Object.assign(server, { seen });
}

test.each(Object.entries(kinds).filter(([name]) => !name.startsWith("one that")))(
  "F1a: a cold start of %s over HTTP is waited for, and the process remembers nothing of it",
  async (_, { says, revision }) => {
    await using server = await coldServer(says);
    const eras = createEraCache();
    const transport = new StreamableClientTransport(server.url, { eras });
    await using session = await connectLate(transport, () => {});
    expect(session.revision).toBe(revision);

    server.seen.length = 0;
    await using warm = await new Client(info).connect(transport);
    expect(warm.revision).toBe(revision);
    expect(server.seen[0]).toBe("server/discover");
  },
);

test("F1a: a legacy server that never answered server/discover is not remembered, one that refused it is", async () => {
  const kind = kinds["one that ignores what it does not know"] as Kind;
  await using silent = await coldServer(kind.says);
  const eras = createEraCache();
  const clock = createVirtualClock();
  const { transport, wrote } = watched(new StreamableClientTransport(silent.url, { eras }));
  const connecting = new Client(info, { clock, onError: () => {} }).connect(transport);
  await wrote("server/discover");
  clock.advance(5000);
  await wrote("initialize");
  // The last wait for the discovery begins when the handshake is answered.
  const open: ClientSession[] = [];
  void connecting.then((connected) => open.push(connected));
  while (open.length === 0) {
    await new Promise(setImmediate);
    clock.advance(1000);
  }
  await using session = await connecting;
  expect([session.era, eras.get(silent.url)]).toEqual(["legacy", undefined]);

  await using plain = await coldServer({ ...kind.says, "server/discover": unknownMethod }, true);
  await using other = await new Client(info).connect(new StreamableClientTransport(plain.url, { eras }));
  expect([other.era, eras.get(plain.url)]).toEqual(["legacy", "legacy"]);
});
