import type { ErrorObject, Network, Request } from "@tenon/jsonrpc2";
import { createScriptedPeer, createVirtualClock, type ScriptedPeer } from "@tenon/jsonrpc2/testing";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { table } from "../src/session/client/negotiation/table.ts";

const info = { name: "client", version: "1.0.0" };
const probeTimeoutMs = 5000;

interface Attempt {
  readonly peer: ScriptedPeer;
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly session: Promise<ClientSession>;
}

/** A client that is connecting to the test, by its clock. */
function connecting(
  options: ClientOptions = {},
  connection: { readonly network?: Network; readonly started?: Promise<unknown> } = {},
): Attempt {
  const peer = createScriptedPeer();
  const clock = createVirtualClock();
  const limits = { probeTimeoutMs, timeoutMs: 60_000, ...options.limits };
  const client = new Client(info, { clock, onError: () => {}, ...options, limits });
  const session = client.connect({ connect: async () => Object.assign(peer.connection, connection) });
  session.catch(() => {});
  return { peer, clock, session };
}

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
  serverInfo: { name: "old", version: "0" },
};

/** Recorded responses to `initialize` after an accepted `server/discover`. */
const refusals: Readonly<Record<string, ErrorObject>> = {
  "Python 2.x": {
    code: -32022,
    message: `connection is serving the ${modernRevision} protocol; the initialize handshake is not accepted`,
    data: { supported: [modernRevision], requested: legacyRevision },
  },
  "Go 1.8": { code: 0, message: 'duplicate "initialize" received' },
};

/** Waits until a request was sent. */
async function sent({ peer }: Attempt, method: string): Promise<Request> {
  for (;;) {
    const request = await peer.nextRequest();
    if (request.method === method) {
      return request;
    }
  }
}

/** A server that has started too late for the probe: `initialize` was sent as well. */
async function slow(options?: ClientOptions, network?: Network) {
  const attempt = connecting(options, network === undefined ? {} : { network });
  const probe = await sent(attempt, "server/discover");
  attempt.clock.advance(probeTimeoutMs);
  const opening = await sent(attempt, "initialize");
  return { ...attempt, probe, opening };
}

const eraOf = async ({ session }: Attempt): Promise<string> => {
  await using connected = await session;
  return connected.era;
};

test.each(Object.entries(refusals))(
  "F1: a server of %s that starts slowly answers both requests: the discovery counts, whatever initialize says (R-192, R-213)",
  async (_, refusal) => {
    for (const order of ["discover first", "initialize first"]) {
      const it = await slow();
      if (order === "discover first") {
        it.peer.answer(it.probe, discovery);
      }
      it.peer.refuse(it.opening, refusal);
      if (order === "initialize first") {
        await Promise.resolve();
        it.peer.answer(it.probe, discovery);
      }
      expect(await eraOf(it), order).toBe("modern");
    }
  },
);

test("F1: a server such as rmcp that starts slowly and accepts both requests is modern", async () => {
  const it = await slow();
  it.peer.answer(it.probe, discovery);
  it.peer.answer(it.opening, handshake);
  await using session = await it.session;
  expect(session.revision).toBe(modernRevision);
});

test("F1: a legacy server that starts slowly is opened by initialize, and its late refusal is no news", async () => {
  const errors: unknown[] = [];
  const it = await slow({ onError: (error) => errors.push(error) });
  it.peer.refuse(it.probe, { code: -32_602, message: "Invalid request parameters" });
  it.peer.answer(it.opening, handshake);
  expect(await eraOf(it)).toBe("legacy");
  expect(errors).toEqual([]);
});

test("a server that never answers server/discover is legacy as soon as initialize is answered, and nothing stays pending", async () => {
  const errors: unknown[] = [];
  const it = await slow({ onError: (error) => errors.push(error) });
  it.peer.answer(it.opening, handshake);
  await using session = await it.session;
  expect(session.era).toBe("legacy");
  expect(it.peer.received.map((message) => "method" in message && message.method)).toEqual([
    "server/discover",
    "initialize",
    "notifications/initialized",
    "notifications/cancelled",
  ]);
  it.peer.answer(it.probe, discovery);
  it.clock.advance(600_000);
  expect(session.era).toBe("legacy");
  expect(errors).toEqual([]);
});

test("over HTTP, where responses have no order, a discovery that comes right after the handshake still counts", async () => {
  const tcp: Network = { transport: "tcp" };
  const late = await slow({}, tcp);
  late.peer.answer(late.opening, handshake);
  late.peer.answer(late.probe, discovery);
  expect(await eraOf(late)).toBe("modern");

  const never = await slow({}, tcp);
  never.peer.answer(never.opening, handshake);
  while (!never.peer.isRead) {
    await Promise.resolve();
  }
  await new Promise(setImmediate);
  never.clock.advance(1000);
  expect(await eraOf(never)).toBe("legacy");
});

test.each(Object.entries(refusals))(
  "if neither request succeeds, the error of initialize reports both: %s",
  async (_, refusal) => {
    const it = await slow();
    it.peer.refuse(it.opening, refusal);
    await new Promise(setImmediate);
    it.clock.advance(60_000);
    await expect(it.session).rejects.toMatchObject({
      code: refusal.code,
      message: expect.stringMatching(
        new RegExp(`^${refusal.message}.* Before, server/discover failed: (it got no response|.*timed out)`),
      ) as string,
    });
  },
);

test("-32022 of initialize is knowledge, also without a slow start: the server is asked in a version that it lists (R-192)", async () => {
  const it = connecting();
  it.peer.refuse(await sent(it, "server/discover"), { code: -32_601, message: "Method not found" });
  it.peer.refuse(await sent(it, "initialize"), refusals["Python 2.x"] as ErrorObject);
  it.peer.answer(await sent(it, "server/discover"), discovery);
  expect(await eraOf(it)).toBe("modern");
});

test("a version that initialize lists with another code is read, too, as of a server of Tenon", async () => {
  const it = await slow();
  it.peer.refuse(it.opening, {
    code: -32_602,
    message: "This server has no initialize",
    data: { supported: [modernRevision] },
  });
  it.peer.answer(it.probe, discovery);
  expect(await eraOf(it)).toBe("modern");
});

test("a client that speaks one modern version only has nothing to fall back to: timeoutMs applies (F1b)", async () => {
  const patient = connecting({ revisions: [modernRevision] });
  const probe = await sent(patient, "server/discover");
  patient.clock.advance(59_999);
  expect(patient.peer.received).toHaveLength(1);
  patient.peer.answer(probe, discovery);
  expect(await eraOf(patient)).toBe("modern");

  const silent = connecting({ revisions: [modernRevision] });
  await sent(silent, "server/discover");
  silent.clock.advance(60_000);
  await expect(silent.session).rejects.toMatchObject({ code: "TIMEOUT" });
});

test("a malformed answer to server/discover says nothing: initialize follows", async () => {
  const it = connecting();
  const { id } = await sent(it, "server/discover");
  it.peer.send({ malformed: { code: -32_600, message: "no message" }, id, response: true });
  it.peer.answer(await sent(it, "initialize"), handshake);
  expect(await eraOf(it)).toBe("legacy");
});

test("a lost connection ends a negotiation in which both requests are pending", async () => {
  const both = await slow();
  both.peer.fail(new Error("unplugged"));
  await expect(both.session).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("a child process is timed from its first byte: a slow one is not bothered with initialize (F1)", async () => {
  const begin = deferred();
  const it = connecting({}, { started: begin.promise });
  const probe = await sent(it, "server/discover");
  it.clock.advance(probeTimeoutMs * 2 - 1);
  begin.resolve();
  await new Promise(setImmediate);
  it.clock.advance(probeTimeoutMs - 1);
  // Only a ping, to see whether the program reads its input.
  expect(it.peer.received.map((message) => "method" in message && message.method)).toEqual([
    "server/discover",
    "ping",
  ]);
  it.peer.answer(probe, discovery);
  expect(await eraOf(it)).toBe("modern");
});

test("a child process that answers ping but not server/discover gets initialize soon", async () => {
  const begin = deferred();
  const it = connecting({}, { started: begin.promise });
  await sent(it, "server/discover");
  it.clock.advance(1000);
  const ping = await sent(it, "ping");
  begin.resolve();
  it.peer.refuse(ping, { code: -32_600, message: "not initialized" });
  await new Promise(setImmediate);
  it.clock.advance(250);
  it.peer.answer(await sent(it, "initialize"), handshake);
  expect(await eraOf(it)).toBe("legacy");
});

test("a child process that never writes anything gets initialize in the end", async () => {
  const it = connecting({}, { started: new Promise(() => {}) });
  await sent(it, "server/discover");
  it.clock.advance(probeTimeoutMs * 2);
  it.peer.answer(await sent(it, "initialize"), handshake);
  expect(await eraOf(it)).toBe("legacy");
});

test("the table of the negotiation ends in every state, and sends initialize once", () => {
  const opens = Object.entries(table).flatMap(([state, events]) =>
    Object.values(events).flatMap((step) => (step[0] === "open" ? [state] : [])),
  );
  expect(new Set(opens)).toEqual(new Set(["asking"]));
  for (const [state, events] of Object.entries(table)) {
    const actions = Object.values(events).map(([action]) => action);
    expect(
      actions.some((action) => action === "fail" || action === "legacy"),
      state,
    ).toBe(true);
  }
});
