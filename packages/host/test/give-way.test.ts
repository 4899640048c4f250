import { setTimeout } from "node:timers/promises";

import { CallRelay, Lanes, type LanesOptions } from "@tenon/host";
import { methodHandler, Peer } from "@tenon/jsonrpc2";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test, vi } from "vitest";

import { accept, answering, askName, form, proxied, type Answer } from "./lanes-fixture.ts";

const tools = { ask: askName, plain: () => "done" } as const;
const textOf = ({ result }: Answer): unknown => result?.content?.[0]?.text;
const limits = { giveWayMs: 20 };

test.each([
  ["that all callers share", { isolation: "everybody" }, "ann"],
  ["of its caller", { limits: { ...limits, maxPerCaller: 1 } }, "bob"],
  ["that are open at most", { limits: { ...limits, maxLanes: 1 } }, "ann"],
] as const)(
  "an unanswered input request gives way to calls that wait for the connections %s",
  async (_, options, other) => {
    const errors: Error[] = [];
    const { send, runs } = await proxied(
      { back: legacyRevision, limits, onError: (error) => errors.push(error), ...options },
      tools,
    );
    const asked = await send("bob", "ask");
    expect(asked.result?.resultType).toBe("input_required");
    expect(textOf(await send(other, "plain"))).toBe("done");
    expect(runs).toEqual(["ask", "abort ask", "plain"]);
    const late = await send("bob", "ask", answering(asked, accept("Bob")));
    expect(late.error).toMatchObject({
      code: -32_603,
      message: expect.stringContaining("giveWayMs") as string,
      data: { reason: "call-lost", delivered: "maybe" },
    });
    expect(errors.map(({ message }) => message)).toEqual([late.error?.message]);
  },
);

test("several callers that wait get through, one unanswered form after the other", async () => {
  // Longer than a busy machine needs to deliver an input request.
  const patient = { giveWayMs: 500 };
  const { send } = await proxied({ back: legacyRevision, limits: patient, isolation: "everybody" }, tools);
  await send("bob", "ask");
  const [second, third] = await Promise.all([send("ann", "ask"), send("eve", "plain")]);
  expect([second.result?.resultType, textOf(third)]).toEqual(["input_required", "done"]);
});

test("a form that a legacy client leaves open gives way as well", async () => {
  const { front, send } = await proxied({ back: legacyRevision, limits, isolation: "everybody" }, tools);
  const shown = deferred();
  const [here, there] = createInMemoryTransports();
  await front.connect(there);
  const client = new Client(
    { name: "bob", version: "1.0.0" },
    {
      revisions: [legacyRevision],
      elicitation: {
        form: async () => {
          shown.resolve();
          await new Promise(() => {});
          return { action: "cancel" };
        },
      },
    },
  );
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  const call = session.callTool({ name: "ask" }).catch((error: unknown) => error);
  await shown.promise;
  expect(textOf(await send("ann", "plain"))).toBe("done");
  expect(await call).toMatchObject({ code: -32_603, data: { reason: "call-lost" } });
});

test("a form that is filled in while others wait goes on, and is not ended", async () => {
  const { send, runs } = await proxied({ back: legacyRevision, isolation: "everybody" }, tools);
  const asked = await send("bob", "ask");
  const waiting = send("ann", "plain");
  const answered = await send("bob", "ask", answering(asked, accept("Bob")));
  expect([textOf(answered), textOf(await waiting)]).toEqual(["accept Bob", "done"]);
  expect(runs).toEqual(["ask", "plain"]);
});

test("a call goes on while another connection of its caller carries a call that runs", async () => {
  const running = deferred();
  const { send, runs } = await proxied(
    { back: legacyRevision, limits: { ...limits, maxPerCaller: 2 } },
    { ...tools, slow: () => running.promise.then(() => "done") },
  );
  const asked = await send("bob", "ask");
  const [slow, plain] = [send("bob", "slow"), send("bob", "plain")];
  await setTimeout(5 * limits.giveWayMs);
  expect(runs).not.toContain("abort ask");
  running.resolve();
  expect([textOf(await slow), textOf(await plain)]).toEqual(["done", "done"]);
  expect(textOf(await send("bob", "ask", answering(asked, accept("Bob"))))).toBe("accept Bob");
});

/** Connections to a legacy program that ignores cancellations, behind a proxy that all share. */
class Stubborn {
  readonly peers: Peer[] = [];
  /** Ends the call `ask`, whose form the program shows. */
  readonly end = deferred();
  /** The response to the first form. */
  form: Promise<unknown> | undefined;
  readonly plain = deferred();
  readonly plainMayEnd = deferred();
  /** What users were asked, and whose form was closed. */
  readonly log: string[] = [];
  readonly shown = deferred();
  readonly mayAnswer = deferred();
  readonly #front = new Server({ name: "front", version: "1.0.0" }, { onError: () => {} });

  constructor(options: Partial<LanesOptions>) {
    const relay = new CallRelay({ limits });
    const lanes = new Lanes({
      isolation: "everybody",
      limits,
      ...options,
      connect: async ({ options: own, prepare }) => {
        const client = new Client({ name: "proxy", version: "1.0.0" }, { ...own, onError: () => {} });
        prepare(client);
        return client.connect(await this.#program());
      },
    });
    this.#front.addReceivingMiddleware(
      (next) => (request) =>
        request.method === "tools/call" ? relay.forward(request, lanes) : next(request),
    );
    onTestFinished(async () => {
      await relay.close();
      await lanes.close();
    });
  }

  async #program(): Promise<ReturnType<typeof createInMemoryTransports>[0]> {
    const [here, there] = createInMemoryTransports();
    const handlers = {
      initialize: () => ({
        protocolVersion: legacyRevision,
        capabilities: { tools: {} },
        serverInfo: { name: "stubborn", version: "1.0.0" },
      }),
      "notifications/initialized": () => {},
      "notifications/cancelled": () => {},
      ping: () => ({}),
      "tools/call": async ({ name }: { name: string }) => {
        if (name === "ask") {
          this.form = this.ask(0, "first");
          this.form.catch(() => {});
          await this.end.promise;
        } else {
          this.plain.resolve();
          await this.plainMayEnd.promise;
        }
        return { content: [] };
      },
    };
    this.peers.push(new Peer(await there.connect(), { handler: methodHandler(handlers as never) }));
    return here;
  }

  /** Requests input on a connection, and does not say for which call. */
  async ask(connection: number, message: string): Promise<unknown> {
    return this.peers[connection]?.call("elicitation/create", { message, requestedSchema: form });
  }

  async user(name: string): Promise<ClientSession> {
    const [here, there] = createInMemoryTransports();
    await this.#front.connect(there);
    const client = new Client(
      { name, version: "1.0.0" },
      {
        revisions: [legacyRevision],
        elicitation: {
          form: async ({ message }, { signal }) => {
            this.log.push(`${name}: ${message}`);
            if (message === "first") {
              signal.addEventListener("abort", () => this.log.push(`${name}: closed`));
              this.shown.resolve();
              await this.mayAnswer.promise;
            }
            return { action: "accept", content: { name } };
          },
        },
      },
    );
    const session = await client.connect(here);
    onTestFinished(() => session.close({ drainMs: 0 }));
    return session;
  }

  /** Ann leaves a form unanswered, so her call gives way to one of Bob. */
  async giveWay(): Promise<void> {
    const [ann, bob] = [await this.user("ann"), await this.user("bob")];
    const lost = ann.callTool({ name: "ask" }).catch((error: unknown) => error);
    await this.shown.promise;
    bob.callTool({ name: "plain" }).catch(() => {});
    expect(await lost).toMatchObject({ data: { reason: "call-lost" } });
    await this.plain.promise;
  }
}

test("the form of a call that gave way is closed, and a late answer reaches no server", async () => {
  const program = new Stubborn({ connectsOnce: true });
  await program.giveWay();
  program.mayAnswer.resolve();
  await expect(program.form).rejects.toThrow("giveWayMs");
  expect(program.log).toEqual(["ann: first", "ann: closed"]);
});

test("a call that gave way asks no other user, until the server has responded to it", async () => {
  const program = new Stubborn({ connectsOnce: true });
  await program.giveWay();
  await expect(program.ask(0, "second")).rejects.toThrow("Cannot forward elicitation/create");
  program.end.resolve();
  await vi.waitFor(async () => {
    expect(await program.ask(0, "third")).toEqual({ action: "accept", content: { name: "bob" } });
  });
  expect(program.log).toEqual(["ann: first", "ann: closed", "bob: third"]);
});

test("a call that its user cancels asks no other user either", async () => {
  const program = new Stubborn({ connectsOnce: true });
  const [ann, bob] = [await program.user("ann"), await program.user("bob")];
  const cancel = new AbortController();
  const call = ann.callTool({ name: "ask" }, { signal: cancel.signal });
  await program.shown.promise;
  cancel.abort();
  await expect(call).rejects.toThrow();
  const called = bob.callTool({ name: "plain" });
  await program.plain.promise;
  await expect(program.ask(0, "second")).rejects.toThrow("Cannot forward elicitation/create");
  program.plainMayEnd.resolve();
  await called;
  expect(program.log).not.toContain("bob: second");
});

test("after a call that gave way, another user gets a new connection, and its input requests", async () => {
  const program = new Stubborn({});
  await program.giveWay();
  expect(program.peers).toHaveLength(2);
  await expect(program.ask(0, "second")).rejects.toThrow();
  expect(await program.ask(1, "third")).toEqual({ action: "accept", content: { name: "bob" } });
  expect(program.log).toEqual(["ann: first", "ann: closed", "bob: third"]);
});
