import { Lanes } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server, urlElicitationRequired, type ClientSession } from "@tenon/mcp";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test, vi } from "vitest";

import { createProxy } from "./docs/proxy.ts";
import { accept, answering, askName, everything, form, proxied, type Answer } from "./lanes-fixture.ts";

const textOf = ({ result, error }: Answer): string => result?.content?.[0]?.text ?? JSON.stringify(error);

test.each(bothEras)(
  "a round of another principal is refused, and the call stays open for its own (server of %s)",
  async (back) => {
    const { send, runs } = await proxied({ back }, { ask: (context) => askName(context) });
    const first = await send("ann", "ask");
    expect(first.result).toMatchObject({ resultType: "input_required" });
    const stolen = await send("bob", "ask", answering(first, accept("bob")));
    expect(stolen.error).toMatchObject({ code: -32602, data: { reason: "state-refused" } });
    expect(textOf(await send("ann", "ask", answering(first, accept("ann"))))).toBe("accept ann");
    expect(runs).toHaveLength(back === legacyRevision ? 1 : 2);
  },
);

test("a round that arrives twice answers once, and both get the result", async () => {
  const { send, runs } = await proxied({ back: legacyRevision }, { ask: (context) => askName(context) });
  const first = await send("ann", "ask");
  const answers = await Promise.all(
    ["one", "two"].map((name) => send("ann", "ask", answering(first, accept(name)))),
  );
  const [one, other] = answers.map(textOf);
  // Either of two messages may arrive first.
  expect(["accept one", "accept two"]).toContain(one);
  expect(other).toBe(one);
  expect(textOf(await send("ann", "ask", answering(first, accept("three"))))).toBe(one);
  expect(runs).toEqual(["ask"]);
});

test("a round after the end is told that the call is lost, and nothing runs again", async () => {
  const limits = { holdMs: 1 };
  const { send, runs, relay } = await proxied(
    { back: legacyRevision, limits },
    { ask: (context) => askName(context) },
  );
  const first = await send("ann", "ask");
  await expect.poll(() => relay.size).toBe(0);
  await expect.poll(() => runs).toEqual(["ask", "abort ask"]);
  const late = await send("ann", "ask", answering(first, accept("ann")));
  expect(late.error).toMatchObject({ code: -32603, data: { reason: "call-lost", delivered: "maybe" } });
  expect(late.error?.message).toMatch(/may have had effects/);
  expect(runs).toEqual(["ask", "abort ask"]);
});

test("a call whose user has answered may run for longer than holdMs", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const [answered, mayEnd] = [deferred(), deferred()];
  const { send, runs } = await proxied(
    { back: legacyRevision, limits: { holdMs: 30_000 } },
    {
      ask: async (context) => {
        const answer = await askName(context);
        answered.resolve();
        await mayEnd.promise;
        return answer;
      },
    },
  );
  const first = await send("ann", "ask");
  const last = send("ann", "ask", answering(first, accept("ann")));
  await answered.promise;
  await vi.advanceTimersByTimeAsync(30_000);
  mayEnd.resolve();
  expect(textOf(await last)).toBe("accept ann");
  expect(runs).toEqual(["ask"]);
});

test("a call ends when its client gives up all rounds at once, and is forgotten after keepMs", async () => {
  const answered = deferred();
  const { send, runs, relay } = await proxied(
    { back: legacyRevision, limits: { keepMs: 1 } },
    {
      async ask(context) {
        await askName(context);
        answered.resolve();
        await new Promise(() => {});
      },
    },
  );
  const first = await send("ann", "ask");
  const gone = new AbortController();
  const rounds = [1, 2].map(() =>
    send("ann", "ask", answering(first, accept("ann")), everything, gone.signal).catch(() => {}),
  );
  await answered.promise;
  gone.abort();
  await expect.poll(() => runs).toEqual(["ask", "abort ask"]);
  await expect.poll(() => relay.size).toBe(0);
  await Promise.all(rounds);
});

test("a call that was cancelled before it is forwarded is not sent, and holds no connection", async () => {
  const arrived = deferred();
  const { front, send, runs } = await proxied(
    { back: legacyRevision, limits: { maxPerCaller: 1, maxWaiting: 0 } },
    { ask: (context) => askName(context), plain: () => "done" },
  );
  front.addReceivingMiddleware((next) => async (request) => {
    if (request.params["name"] === "ask") {
      arrived.resolve();
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    }
    return next(request);
  });
  const gone = new AbortController();
  const call = send("ann", "ask", {}, everything, gone.signal).catch(() => {});
  await arrived.promise;
  gone.abort();
  await call;
  expect(textOf(await send("ann", "plain"))).toBe("done");
  expect(runs).toEqual(["plain"]);
});

test("questions have keys of their own, so an answer to an earlier question answers no later one", async () => {
  const { send, runs } = await proxied(
    { back: legacyRevision },
    { ask: async (context) => `${await askName(context, "1?")}, ${await askName(context, "2?")}` },
  );
  const first = await send("ann", "ask");
  const second = await send("ann", "ask", answering(first, accept("one")));
  const repeated = await send("ann", "ask", answering(first, accept("wrong")));
  expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(["q2"]);
  expect(repeated.result?.inputRequests).toEqual(second.result?.inputRequests);
  const last = await send("ann", "ask", answering(second, accept("two")));
  expect(textOf(last)).toBe("accept one, accept two");
  expect(runs).toEqual(["ask"]);
});

test("a proxy that closes cancels the calls that it holds", async () => {
  const { send, runs, relay } = await proxied(
    { back: legacyRevision },
    { ask: (context) => askName(context) },
  );
  await send("ann", "ask");
  await relay.close();
  await expect.poll(() => runs).toEqual(["ask", "abort ask"]);
});

test.each(["sample", "listRoots"] as const)(
  "a legacy server gets the %s of its own caller through all rounds",
  async (method) => {
    const { send, runs } = await proxied(
      { back: legacyRevision },
      {
        ask: async (context) => {
          const got =
            method === "sample"
              ? await context.sample({
                  messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
                  maxTokens: 1,
                })
              : await context.listRoots();
          return JSON.stringify(got);
        },
      },
    );
    const answers = {
      sample: { role: "assistant", model: "m", content: { type: "text", text: "Hello" } },
      listRoots: { roots: [{ uri: "file:///ann" }] },
    };
    const first = await send("ann", "ask");
    expect(Object.values(first.result?.inputRequests ?? {})).toMatchObject([
      { method: method === "sample" ? "sampling/createMessage" : "roots/list" },
    ]);
    const last = await send("ann", "ask", answering(first, answers[method]));
    expect(textOf(last)).toContain(method === "sample" ? "Hello" : "file:///ann");
    expect(runs).toEqual(["ask"]);
  },
);

test.each([false, true])(
  "simultaneous calls of one caller are each asked their own question (related: %s)",
  async (related) => {
    const { send, connections } = await proxied(
      { back: legacyRevision, related },
      { ask: (context, name) => askName(context, `${name}?`) },
    );
    const names = ["a", "b", "c"];
    const firsts = await Promise.all(names.map((name) => send("ann", "ask", { arguments: { name } })));
    expect(firsts.map(({ result }) => Object.values(result?.inputRequests ?? {})[0]?.params)).toMatchObject(
      names.map((name) => ({ message: `${name}?` })),
    );
    const lasts = await Promise.all(
      firsts.map((first, index) =>
        send("ann", "ask", { arguments: { name: names[index] }, ...answering(first, accept(`${index}`)) }),
      ),
    );
    expect(lasts.map(textOf)).toEqual(["accept 0", "accept 1", "accept 2"]);
    // With a connection that names the request, one suffices.
    expect(connections.count).toBe(related ? 1 : 3);
  },
);

test("a legacy server sees the capabilities of the caller, and callers with others get another connection", async () => {
  const { send, declared, connections } = await proxied({ back: legacyRevision }, { look: () => "ok" });
  await send("ann", "look", {}, { elicitation: {} });
  await send("ann", "look", {}, { elicitation: {} });
  await send("ann", "look", {}, {});
  expect(declared).toEqual([{ elicitation: {} }, { elicitation: {} }, {}]);
  expect(connections.count).toBe(2);
});

test("a modern server gets one connection, and the capabilities of each caller with the request", async () => {
  const { send, declared, connections } = await proxied({ back: modernRevision }, { look: () => "ok" });
  await send("ann", "look", {}, { elicitation: {} });
  await send("bob", "look", {}, { roots: {} });
  expect(declared).toMatchObject([{ elicitation: {} }, { roots: {} }]);
  expect(Object.keys(declared[1] ?? {})).not.toContain("elicitation");
  expect(connections.count).toBe(1);
});

test("with isolation for each call, nobody uses a connection after another", async () => {
  const { send, connections, lanes } = await proxied(
    { back: legacyRevision, isolation: "call" },
    { look: () => "ok" },
  );
  await send("ann", "look");
  await send("ann", "look");
  expect(connections.count).toBe(2);
  expect(lanes.size).toBe(0);
});

test("with one connection for everybody, calls wait for each other, and each client is asked for its own", async () => {
  const { send, connections } = await proxied(
    { back: legacyRevision, isolation: "everybody" },
    { ask: (context, name) => askName(context, `${name}?`) },
  );
  const ann = await send("ann", "ask", { arguments: { name: "ann" } });
  const waiting = send("bob", "ask", { arguments: { name: "bob" } });
  const done = await send("ann", "ask", { arguments: { name: "ann" }, ...answering(ann, accept("ann")) });
  expect(textOf(done)).toBe("accept ann");
  const bob = await waiting;
  expect(Object.values(bob.result?.inputRequests ?? {})[0]?.params).toMatchObject({ message: "bob?" });
  expect(connections.count).toBe(1);
});

test("limits: calls that wait for a connection, calls that are held, and questions of a call", async () => {
  const limits = { maxPerCaller: 1, maxWaiting: 0, maxHeld: 1, maxInputs: 1 };
  const { send, runs } = await proxied(
    { back: legacyRevision, limits },
    {
      ask: (context) => askName(context),
      both: (context) =>
        Promise.all([askName(context, "1?"), askName(context, "2?")]).catch(
          (error: unknown) => (error as Error).message,
        ),
    },
  );
  const first = await send("ann", "ask");
  const full = await send("ann", "ask");
  expect(full.error).toMatchObject({ code: -32603, data: { delivered: "no" } });
  expect(full.error?.message).toContain("maxWaiting");
  const held = await send("bob", "ask");
  expect(held.error?.message).toContain("maxHeld");
  await expect.poll(() => runs).toEqual(["ask", "ask", "abort ask"]);
  expect(textOf(await send("ann", "ask", answering(first, accept("ann"))))).toBe("accept ann");
  expect(textOf(await send("cleo", "both"))).toContain("maxInputs");
});

test("a client that has not declared what a question needs is not asked, and the server is told", async () => {
  const { send, runs } = await proxied(
    { back: legacyRevision, isolation: "everybody" },
    { ask: (context) => askName(context).catch((error: unknown) => (error as Error).message) },
  );
  expect(textOf(await send("ann", "ask", {}, {}))).toContain("has not declared");
  expect(runs).toEqual(["ask"]);
});

test("questions outside of a call reach nobody, but the roots are those of the caller", async () => {
  const asked: string[] = [];
  const { front, runs } = await proxied(
    { back: legacyRevision },
    {
      outside: async ({ session }) => {
        const refused = session
          ?.elicit({ message: "Stray?", requestedSchema: form })
          .catch((error: unknown) => (error as { readonly code: number }).code);
        return JSON.stringify([await refused, await session?.listRoots()]);
      },
    },
  );
  const client = new Client(
    { name: "ann", version: "1" },
    {
      revisions: [legacyRevision],
      roots: [{ uri: "file:///ann" }],
      elicitation: {
        form: ({ message }) => {
          asked.push(message);
          return { action: "decline" };
        },
      },
    },
  );
  const [here, there] = createInMemoryTransports();
  await front.connect(there);
  await using session = await client.connect(here);
  const { content } = await session.callTool({ name: "outside" });
  // Without a relation the only call of the client is meant: it is this client's question anyway.
  expect(content).toMatchObject([{ text: '[{"action":"decline"},[{"uri":"file:///ann"}]]' }]);
  expect(asked).toEqual(["Stray?"]);
  expect(runs).toEqual(["outside"]);
});

test("pages that a legacy server requires are opened by a modern client before the request is sent again", async () => {
  let opened = false;
  const { send, runs } = await proxied(
    { back: legacyRevision },
    {
      pay: (context) =>
        opened
          ? "paid"
          : urlElicitationRequired(context, [
              { mode: "url", message: "Log in", url: "https://example.com/", elicitationId: "e1" },
            ]),
    },
  );
  const first = await send("ann", "pay");
  expect(first.result?.inputRequests).toMatchObject({
    "page-1": { method: "elicitation/create", params: { mode: "url", url: "https://example.com/" } },
  });
  opened = true;
  expect(textOf(await send("ann", "pay", answering(first, { action: "accept" })))).toBe("paid");
  expect(runs).toEqual(["pay", "pay"]);
});

test.each(bothEras.flatMap((front) => bothEras.map((back) => [front, back] as const)))(
  "the proxy of the documentation asks the client of %s for a server of %s",
  async (front, back) => {
    const server = new Server({ name: "behind", version: "1.0.0" }, { revisions: [back] });
    server.addTool({ name: "ask" }, (_, context) => askName(context));
    const { proxy, close } = createProxy(async () => {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here;
    });
    const client = new Client(
      { name: "ann", version: "1.0.0" },
      {
        revisions: [front],
        elicitation: { form: () => ({ action: "accept", content: { name: "Ann" } }) },
      },
    );
    const [here, there] = createInMemoryTransports();
    await proxy.connect(there);
    const session = await client.connect(here);
    const { content } = await session.callTool({ name: "ask" });
    expect(content).toMatchObject([{ text: "accept Ann" }]);
    await session.close();
    await close();
  },
);

test("a legacy client reads that its call may have run if a later round of it is refused", async () => {
  let calls = 0;
  const wrap = (inner: Transport): Transport => ({
    async connect(options) {
      const connection = await inner.connect(options);
      const write = connection.write.bind(connection);
      return Object.assign(connection, {
        write(...[message, ...rest]: Parameters<typeof write>) {
          const isCall = "method" in message && message.method === "tools/call";
          return isCall && ++calls > 1
            ? Promise.reject(Object.assign(new Error("forbidden"), { status: 403 }))
            : write(message, ...rest);
        },
      });
    },
  });
  const { front, runs } = await proxied(
    { back: modernRevision, wrap },
    { ask: (context) => askName(context) },
  );
  const client = new Client(
    { name: "ann", version: "1.0.0" },
    { revisions: [legacyRevision], elicitation: { form: () => ({ action: "accept", content: {} }) } },
  );
  const [here, there] = createInMemoryTransports();
  await front.connect(there);
  await using session = await client.connect(here);
  const called = session.request("tools/call", { name: "ask" });
  await expect(called).rejects.toMatchObject({ data: { reason: "call-lost", delivered: "maybe" } });
  expect(runs).toEqual(["ask"]);
});

test("a caller that goes does not wait for a connection that does not open, and it is closed when it opens", async () => {
  const opening = deferred<ClientSession>();
  await using lanes = new Lanes({ connect: () => opening.promise, isolation: "call" });
  const gone = new AbortController();
  const caller = { key: "a", session: undefined, inputs: {}, asks: "never" } as const;
  const lease = lanes.acquire(caller, gone.signal, undefined);
  gone.abort(new Error("gone"));
  await expect(lease).rejects.toThrow("gone");
  const closing = lanes.close();
  const [here, there] = createInMemoryTransports();
  await new Server({ name: "behind", version: "1.0.0" }).connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }).connect(here);
  opening.resolve(session);
  await closing;
  expect(session.isClosed).toBe(true);
});

test("connections that were closed are not opened again", async () => {
  let attempts = 0;
  const connect = (): Promise<never> => {
    attempts++;
    return Promise.reject(new Error("refused"));
  };
  await using lanes = new Lanes({ connect });
  await lanes.close();
  await expect(lanes.recover()).rejects.toThrow("the proxy was closed");
  expect([attempts, lanes.isOpen]).toEqual([0, false]);
});

test("a user who disconnects while a connection for everybody opens does not end it for others", async () => {
  const [asked, opened] = [deferred(), deferred()];
  const { front } = await proxied(
    {
      back: legacyRevision,
      isolation: "everybody",
      onOpen: () => {
        asked.resolve();
        return opened.promise;
      },
    },
    { plain: () => "done" },
  );
  const user = async (name: string): Promise<ClientSession> => {
    const [here, there] = createInMemoryTransports();
    await front.connect(there);
    return new Client({ name, version: "1.0.0" }, { revisions: [legacyRevision] }).connect(here);
  };
  const ann = await user("ann");
  await using bob = await user("bob");
  const cancel = new AbortController();
  const gone = ann.callTool({ name: "plain" }, { signal: cancel.signal }).catch(() => {});
  await asked.promise;
  const call = bob.callTool({ name: "plain" });
  cancel.abort();
  await ann.close({ drainMs: 0 });
  await gone;
  opened.resolve();
  expect(await call).toMatchObject({ content: [{ text: "done" }] });
});
