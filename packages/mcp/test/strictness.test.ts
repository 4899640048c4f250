import type { Message, Peer, Request, Transport } from "@tenon/jsonrpc2";
import { RpcError } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import {
  Client,
  tolerated,
  usuallyTolerated,
  type ClientOptions,
  type Departure,
  type McpError,
  type ServerOptions,
} from "@tenon/mcp";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { spokenRevisions } from "../src/revisions/index.ts";
import type { RevisionRules } from "../src/revisions/rules.ts";
import { negotiate } from "../src/session/client/negotiate.ts";
import { openServerWire } from "./server-wire.ts";
import { initialize, modern, openWire, request, type Wire } from "./wire.ts";

const info = { name: "client", version: "1.0.0" };

/** Options of a lenient side, and the departures that it warned of. */
function lenient(): { strictness: "lenient"; onError: (error: unknown) => void; departures: string[] } {
  const departures: string[] = [];
  const onError = (error: unknown): void => {
    const { code, message } = error as McpError;
    expect(code).toBe("TOLERATED");
    departures.push(/^Tolerated \((\w+)\): ./.exec(message)?.[1] ?? message);
  };
  return { strictness: "lenient", onError, departures };
}

/** A server that answers the methods it knows, and everything else with `-32601`. */
function scripted(answers: Readonly<Record<string, object>>): Transport & { readonly seen: string[] } {
  const [here, there] = createInMemoryTransports();
  const seen: string[] = [];
  void (async () => {
    const connection = await there.connect();
    for (let message = await connection.read(); message !== undefined; message = await connection.read()) {
      const { id, method } = message as Request;
      seen.push(method);
      if (id !== undefined) {
        const reply = answers[method] ?? { error: { code: -32601, message: "no" } };
        await connection.write({ jsonrpc: "2.0", id, ...reply } as Message);
      }
    }
  })();
  return Object.assign(here, { seen });
}

const whole = { protocolVersion: legacyRevision, capabilities: {}, serverInfo: { name: "s", version: "1" } };
const discovery = { supportedVersions: [modernRevision], capabilities: {} };

test.each([
  ["initialize without capabilities", { initialize: { result: { ...whole, capabilities: undefined } } }],
  ["initialize without serverInfo", { initialize: { result: { ...whole, serverInfo: undefined } } }],
  ["initialize with odd instructions", { initialize: { result: { ...whole, instructions: 7 } } }],
  ["discovery without capabilities", { "server/discover": { result: { ...discovery, capabilities: null } } }],
  ["discovery with odd instructions", { "server/discover": { result: { ...discovery, instructions: {} } } }],
  [
    "discovery with odd serverInfo",
    {
      "server/discover": {
        result: { ...discovery, _meta: { "io.modelcontextprotocol/serverInfo": { name: "s" } } },
      },
    },
  ],
])(
  "a strict client refuses an answer to %s; a lenient one leaves out what is not valid, and warns (R-164, R-195)",
  async (_, answers) => {
    const refused = new Client(info, { strictness: "strict" }).connect(scripted(answers));
    await expect(refused).rejects.toMatchObject({ code: "INVALID_RESULT" });

    const { departures, ...options } = lenient();
    await using session = await new Client(info, options).connect(scripted(answers));
    expect(session.instructions).toBeUndefined();
    expect(session.serverCapabilities).toEqual({});
    expect(departures).toEqual(["incompleteServer"]);
  },
);

test("a server that is anonymous in the modern era is a whole one: its name is a courtesy there (R-140)", async () => {
  const answers = { "server/discover": { result: { ...discovery, instructions: "Be kind." } } };
  await using session = await new Client(info).connect(scripted(answers));
  expect(session.instructions).toBe("Be kind.");
  expect(session.serverInfo).toBeUndefined();
});

test.each([{ supported: [] }, { supported: legacyRevision }, undefined])(
  "-32022 with data %j proves a modern server, so a strict client does not initialize; a lenient one does (R-191, R-213)",
  async (data) => {
    const answers = {
      "server/discover": { error: { code: -32022, message: "no", data } },
      initialize: { result: whole },
    };
    const strict = scripted(answers);
    const refused = new Client(info).connect(strict);
    await expect(refused).rejects.toMatchObject({
      code: "UNSUPPORTED_REVISION",
      cause: { code: -32022 },
    });
    expect(strict.seen).toEqual(["server/discover"]);

    const { departures, ...options } = lenient();
    await using session = await new Client(info, options).connect(scripted(answers));
    expect(session.revision).toBe(legacyRevision);
    expect(departures).toEqual(["unsupportedWithoutAlternative"]);
  },
);

test("a server that refuses the revision that it says it speaks is asked once more, and then given up", async () => {
  const error = { code: -32022, message: "no", data: { supported: [modernRevision] } };
  const transport = scripted({ "server/discover": { error }, initialize: { result: whole } });
  const refused = new Client(info).connect(transport);
  await expect(refused).rejects.toMatchObject({ code: "UNSUPPORTED_REVISION" });
  expect(transport.seen).toEqual(["server/discover", "server/discover"]);
});

test("a server that sends its client from one modern revision to the other and back is given up (R-192)", async () => {
  const spoken = spokenRevisions();
  const [newest] = spoken.modern as [RevisionRules];
  const next = { ...newest, revision: "2027-01-01" as RevisionRules["revision"] };
  const asked: unknown[] = [];
  const peer = {
    call(_: string, { _meta: meta }: { _meta: Record<string, unknown> }): Promise<never> {
      const version = meta["io.modelcontextprotocol/protocolVersion"];
      asked.push(version);
      const supported = [version === next.revision ? newest.revision : next.revision];
      return Promise.reject(new RpcError(-32022, "no", { data: { supported } }));
    },
  } as unknown as Peer;
  const negotiation = negotiate(
    peer,
    {
      info,
      capabilities: () => ({}),
      revisions: { ...spoken, modern: [next, newest] },
      probeTimeoutMs: 1000,
      timeoutMs: 1000,
      clock: createVirtualClock(),
      rest: undefined,
      started: undefined,
      logins: () => 0,
      tolerate: (_, refusal) => {
        throw refusal;
      },
    },
    true,
  );
  await expect(negotiation).rejects.toMatchObject({ code: "UNSUPPORTED_REVISION" });
  expect(asked).toEqual(["2027-01-01", modernRevision, "2027-01-01"]);
});

test.each(bothEras)(
  "a lenient client takes null for an empty result in %s, a strict one refuses it",
  async (revision) => {
    const attempt = async (options: ClientOptions): Promise<unknown> => {
      await using wire = await openServerWire(revision, options);
      const asked = wire.session.request("tools/call", { name: "t" });
      const [result] = await Promise.allSettled([asked, wire.answer(null as never)]);
      return result.status === "fulfilled" ? result.value : result.reason;
    };
    expect(await attempt({ strictness: "strict" })).toMatchObject({ code: "INVALID_RESULT" });
    const { departures, ...options } = lenient();
    expect(await attempt(options)).toEqual({});
    expect(departures).toEqual(["emptyResult"]);
  },
);

test("a list that repeats its cursor ends for a lenient client, and fails for a strict one (R-566)", async () => {
  const iterate = async (options: ClientOptions): Promise<string[]> => {
    await using wire = await openServerWire(legacyRevision, options);
    const names: string[] = [];
    const answering = (async () => {
      await wire.answer({ tools: [{ name: "a" }], nextCursor: "same" });
      await wire.answer({ tools: [{ name: "b" }], nextCursor: "same" });
    })();
    for await (const { name } of wire.session.tools()) {
      names.push(name);
    }
    await answering;
    return names;
  };
  await expect(iterate({ strictness: "strict" })).rejects.toMatchObject({ code: "INVALID_RESULT" });
  const { departures, ...options } = lenient();
  expect(await iterate(options)).toEqual(["a", "b"]);
  expect(departures).toEqual(["repeatedCursor"]);
});

/** What a strict server refuses and a lenient one serves. */
const ofServers: readonly (readonly [Departure, number, (wire: Wire) => Promise<unknown>])[] = [
  ["requestBeforeInitialize", -32600, (wire) => wire.ask(request(1, "tools/list"))],
  [
    "repeatedInitialize",
    -32600,
    async (wire) => {
      await wire.ask(initialize("2025-11-25"));
      return wire.ask(initialize("2025-06-18"));
    },
  ],
  [
    "incompleteClient",
    -32602,
    (wire) => wire.ask(request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {} })),
  ],
  [
    "incompleteClient",
    -32602,
    (wire) =>
      wire.ask(
        request(1, "initialize", { protocolVersion: "2025-11-25", clientInfo: info, capabilities: 1 }),
      ),
  ],
  ...[
    { "io.modelcontextprotocol/clientCapabilities": undefined },
    { "io.modelcontextprotocol/clientInfo": "me" },
    { "io.modelcontextprotocol/logLevel": "loud" },
  ].map(
    (odd) =>
      [
        "incompleteClient",
        -32602,
        (wire: Wire) => wire.ask(request(1, "tools/list", { _meta: { ...modern, ...odd } })),
      ] as const,
  ),
];

test.each(ofServers)(
  "a strict server refuses %s with %i, a lenient one serves it and warns",
  async (departure, code, ask) => {
    const attempt = async (options: ServerOptions): Promise<unknown> => {
      await using wire = await openWire(options);
      const answer = await ask(wire);
      return answer;
    };
    expect(await attempt({ strictness: "strict" })).toMatchObject({ error: { code } });
    const { departures, ...options } = lenient();
    expect(await attempt(options)).toHaveProperty("result");
    expect(departures).toEqual([departure]);
  },
);

test("by default a client or server tolerates what works, with a warning, and rejects the rest", async () => {
  const usual: readonly string[] = usuallyTolerated;
  for (const [departure, code, ask] of ofServers) {
    const { departures, onError } = lenient();
    await using wire = await openWire({ onError });
    const isUsual = usual.includes(departure);
    expect(await ask(wire)).toMatchObject(isUsual ? { result: {} } : { error: { code } });
    expect(departures).toEqual(isUsual ? [departure] : []);
  }
  const whatever = { "server/discover": { error: { code: -32022, message: "no" } } };
  await expect(new Client(info).connect(scripted(whatever))).rejects.toMatchObject({
    code: "UNSUPPORTED_REVISION",
  });
});

test("what comes before initialize is served as from a client that declared nothing, and initialize is still the first", async () => {
  const { departures, ...options } = lenient();
  await using wire = await openWire(options, (server) => {
    server.addTool({ name: "who" }, (_, { client, revision }) => `${revision} ${JSON.stringify(client)}`);
  });
  const early = await wire.ask(request(1, "tools/call", { name: "who" }));
  expect(early).toMatchObject({ result: { content: [{ text: '2025-11-25 {"capabilities":{}}' }] } });
  expect(await wire.ask(initialize("2025-06-18"))).toMatchObject({
    result: { protocolVersion: "2025-06-18" },
  });
  expect(departures).toEqual(["requestBeforeInitialize"]);
});

test("everything that is tolerated is tested above or with capabilities and outputs", () => {
  const elsewhere: Departure[] = [
    "undeclaredServerCapability",
    "unfitOutput",
    "unusableOutputSchema",
    "resultNoObject",
  ];
  const here: Departure[] = [
    "incompleteServer",
    "unsupportedWithoutAlternative",
    "emptyResult",
    "repeatedCursor",
    "requestBeforeInitialize",
    "repeatedInitialize",
    "incompleteClient",
    // In tools/interop/test/compatibility.
    "oddContent",
    "refusedNotification",
  ];
  expect(Object.keys(tolerated).toSorted()).toEqual([...here, ...elsewhere].toSorted());
});

test("a warning is given once, and a peer cannot make a client warn without end", async () => {
  const { departures, ...options } = lenient();
  await using wire = await openWire(options);
  for (let id = 0; id < 300; id++) {
    await wire.ask(request(id, `no/such/${id}`));
  }
  await wire.ask(request("again", "no/such/1"));
  expect(departures).toHaveLength(256);
});
