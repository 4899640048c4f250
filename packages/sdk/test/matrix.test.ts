import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import {
  isSuspension,
  type ClientOptions,
  type RequestContext,
  type ServerExtensionHost,
  type ServerSession,
} from "@tenon/mcp";
import type { SubscriptionFilter } from "@tenon/protocol";
import { expect, test } from "vitest";

import { deferred, pair, waiting, type Pair } from "./pair.ts";
import { addQueue, moved, place, queueing } from "./queue.ts";
import { shapes, type Shape } from "./shapes.ts";

/**
 * What every feature does in every shape of connection. `works`: as over memory. `silent`: the
 * client is not told, and nothing fails. `-`: the shape has no such thing. Anything else is the
 * error that the caller gets, at once: see `codes`.
 *
 * The columns: 2025-11-25 over memory, stdio and a `MessagePort`; over sessions of Streamable HTTP
 * with the standalone stream (GET), with it and an event store, without it, and without it and with
 * JSON responses only; over Streamable HTTP without a session; and 2026-07-28 over Streamable HTTP.
 */
const table = `
feature                            | memory | stdio  | port   | GET    | store  | no GET | JSON   | no session | modern
sessions: a call                   | works  | works  | works  | works  | works  | works  | works  | works      | works
sessions: two clients              | works  | works  | works  | works  | works  | works  | works  | works      | works
questions: ctx.elicit              | works  | works  | works  | works  | works  | works  | CLOSED | NO CLIENT  | works
questions: ctx.sample              | works  | works  | works  | works  | works  | works  | CLOSED | NO CLIENT  | works
questions: ctx.listRoots           | works  | works  | works  | works  | works  | works  | CLOSED | NO CLIENT  | works
questions: session.listRoots       | works  | works  | works  | works  | works  | CLOSED | CLOSED | -          | -     
questions: after a lost connection | CLOSED | CLOSED | CLOSED | CLOSED | works  | CLOSED | CLOSED | NO CLIENT  | -     
progress                           | works  | works  | works  | works  | works  | works  | silent | works      | works
logs: ctx.log                      | works  | works  | works  | works  | works  | works  | silent | works      | works
logs: session.log                  | works  | works  | works  | works  | works  | silent | silent | silent     | silent
subscriptions: list changes        | works  | works  | works  | works  | works  | silent | silent | silent     | works
subscriptions: resource updates    | works  | works  | works  | works  | works  | silent | silent | silent     | works
extensions: a request              | works  | works  | works  | works  | works  | works  | works  | NO METHOD  | works
extensions: a tool in a queue      | works  | works  | works  | works  | works  | works  | works  | works      | works
extensions: a field of a filter    | -      | -      | -      | -      | -      | -      | -      | -          | works
cancellation                       | works  | works  | works  | works  | works  | works  | works  | works      | works
keep-alive: the client is asked    | works  | works  | works  | works  | works  | silent | silent | silent     | silent
keep-alive: a running call         | works  | works  | works  | works  | works  | works  | works  | works      | works
limits: calls wait (maxInFlight)   | works  | works  | works  | works  | works  | works  | works  | -          | -
limits: of one client only         | works  | works  | works  | works  | works  | works  | works  | -          | works
`;

const codes: Readonly<Record<string, string>> = {
  CLOSED: "CONNECTION_CLOSED",
  "NO CLIENT": "CAPABILITY_MISSING",
  "NO METHOD": "-32601",
};

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const message = { role: "user", content: { type: "text", text: "Hi" } } as const;

/** One cell: what is expected, and what is tried in it. */
type Trial = (shape: Shape, expected: string) => Promise<string>;

/**
 * Whether something is heard that `emit` sends: waited for if it should be, otherwise looked for
 * after it could have come.
 */
async function heard(
  { session }: Pair,
  expected: string,
  emit: () => unknown,
  count: () => number,
): Promise<string> {
  if (expected === "works") {
    const attempt = async (): Promise<number> => {
      await emit();
      return count();
    };
    await expect.poll(attempt).toBeGreaterThan(0);
    return "works";
  }
  await emit();
  for (let call = 0; call < 3; call++) {
    await session.callTool({ name: "hello" });
  }
  return count() > 0 ? "works" : "silent";
}

/** Lets everything that is ready to run do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Asks within a call. The handler says how it ended. */
function asking(ask: (context: RequestContext) => Promise<unknown>): Trial {
  return async (shape) => {
    let outcome: unknown;
    await using made = await pair(shape, {}, {}, (server) => {
      server.addTool({ name: "ask" }, async (_, context) => {
        outcome = await outcomeOf(ask(context));
        return "asked";
      });
    });
    await made.session.callTool({ name: "ask" });
    return String(outcome);
  };
}

async function outcomeOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return "works";
  } catch (error) {
    if (isSuspension(error)) {
      throw error;
    }
    return String((error as { code?: unknown }).code);
  }
}

async function sessionOf({ session, server }: Pair): Promise<ServerSession | undefined> {
  await session.callTool({ name: "hello" });
  return [...server.sessions()][0];
}

const keepAlive = { intervalMs: 1000, timeoutMs: 500 };
const name = "hello";

const trials: Readonly<Record<string, Trial>> = {
  "sessions: a call": async (shape) => {
    await using made = await pair(shape);
    const { content } = await made.session.callTool({ name });
    return JSON.stringify(content).includes("world") ? "works" : "silent";
  },
  "sessions: two clients": async (shape) => {
    await using made = await pair(shape);
    const other = await made.another();
    await made.session.close();
    return await outcomeOf(other.callTool({ name }));
  },
  "questions: ctx.elicit": asking((context) => context.elicit({ message: "Who?", requestedSchema: form })),
  "questions: ctx.sample": asking((context) => context.sample({ messages: [message], maxTokens: 1 })),
  "questions: ctx.listRoots": asking((context) => context.listRoots()),
  "questions: session.listRoots": asking(async ({ session }) => session?.listRoots()),
  "questions: after a lost connection": async (shape) => {
    const { promise: begun, resolve: begin } = deferred();
    const { promise: lost, resolve: lose } = deferred();
    const { promise: asked, resolve: told } = deferred();
    await using made = await pair(shape, { logging: true }, {}, (server) => {
      server.addTool({ name: "ask" }, async (_, context) => {
        await context.log("warning", "The response begins.");
        begin();
        await lost;
        told(await outcomeOf(context.elicit({ message: "Who?", requestedSchema: form })));
        return "asked";
      });
    });
    const call = made.session.callTool({ name: "ask" }).catch(() => {});
    await begun;
    made.connectable.cut();
    await settle();
    lose();
    const outcome = await asked;
    await call;
    return String(outcome);
  },
  progress: async (shape, expected) => {
    let count = 0;
    await using made = await pair(shape, {}, {}, (server) => {
      server.addTool({ name: "work" }, async (_, context) => {
        await context.progress(1, 2);
        return "done";
      });
    });
    const work = (): Promise<unknown> =>
      made.session.callTool({ name: "work" }, { onProgress: () => count++ });
    return await heard(made, expected, work, () => count);
  },
  "logs: ctx.log": async (shape, expected) => {
    let count = 0;
    const client: ClientOptions = { onLog: () => void count++, logLevel: "info" };
    await using made = await pair(shape, { logging: true }, client, (server) => {
      server.addTool({ name: "work" }, async (_, context) => {
        await context.log("warning", "careful");
        return "done";
      });
    });
    return await heard(
      made,
      expected,
      () => made.session.callTool({ name: "work" }),
      () => count,
    );
  },
  "logs: session.log": async (shape, expected) => {
    let count = 0;
    await using made = await pair(shape, { logging: true }, { onLog: () => void count++ });
    const session = await sessionOf(made);
    return await heard(
      made,
      expected,
      () => session?.log("warning", "careful"),
      () => count,
    );
  },
  "subscriptions: list changes": async (shape, expected) => {
    let count = 0;
    await using made = await pair(
      shape,
      { limits: { listChangedDelayMs: 0 } },
      { onToolsChanged: () => void count++ },
    );
    let tools = 0;
    return await heard(
      made,
      expected,
      () => made.server.addTool({ name: `new-${tools++}` }, () => "new"),
      () => count,
    );
  },
  "subscriptions: resource updates": async (shape, expected) => {
    let count = 0;
    await using made = await pair(shape);
    await using watch = made.session.watch("test://a");
    void (async () => {
      for await (const _ of watch) {
        count++;
      }
    })().catch(() => {});
    await watch.ready.catch(() => {});
    return await heard(
      made,
      expected,
      () => made.server.resourceUpdated("test://a"),
      () => count,
    );
  },
  "extensions: a request": async (shape) => {
    await using made = await pair(shape, {}, queueing, addQueue);
    return await outcomeOf(made.session.request(place, { ticket: "t 1/ü" }));
  },
  "extensions: a tool in a queue": async (shape) => {
    await using made = await pair(shape, {}, queueing, addQueue);
    const { tools } = await made.session.listTools();
    const { content } = await made.session.callTool({ name: "queued" });
    return JSON.stringify([tools.at(-1)?._meta, content]).includes("com.example/queue") ? "works" : "nothing";
  },
  "extensions: a field of a filter": async (shape, expected) => {
    let count = 0;
    let host: ServerExtensionHost | undefined;
    await using made = await pair(shape, {}, queueing, (server) => {
      host = addQueue(server);
    });
    const filter = { tickets: ["t1", "foreign"] } as SubscriptionFilter;
    await made.session.listen(filter, { onChange: () => void count++ });
    return await heard(
      made,
      expected,
      () => {
        host?.publish("tickets", "foreign", moved, {});
        host?.publish("tickets", "t1", moved, {});
      },
      () => count,
    );
  },
  cancellation: async (shape) => {
    const { setUp, begun, release } = waiting();
    await using made = await pair(shape, {}, {}, setUp);
    const given = new AbortController();
    const call = made.session.callTool({ name: "wait" }, { signal: given.signal });
    const { signal } = await begun;
    const aborted = new Promise<string>((resolve) => {
      signal.addEventListener("abort", () => resolve("works"));
    });
    given.abort();
    await expect(call).rejects.toBe(given.signal.reason);
    const outcome = await aborted;
    release();
    return outcome;
  },
  "keep-alive: the client is asked": async (shape, expected) => {
    const clock = createVirtualClock();
    await using made = await pair(shape, { clock, keepAlive });
    await sessionOf(made);
    const tick = async (): Promise<void> => {
      clock.advance(1000);
      await settle();
    };
    return await heard(made, expected, tick, () => made.pings.count);
  },
  "keep-alive: a running call": async (shape) => {
    const clock = createVirtualClock();
    const { setUp, begun, release } = waiting();
    await using made = await pair(shape, { clock, keepAlive }, {}, setUp);
    const call = made.session.callTool({ name: "wait" });
    await begun;
    for (let round = 0; round < 5; round++) {
      const before = made.pings.count;
      clock.advance(1000);
      // A client that is asked gets the time to answer.
      for (let turn = 0; turn < 20 && made.pings.count === before; turn++) {
        await settle();
      }
      await settle();
    }
    release();
    return await outcomeOf(call);
  },
  "limits: calls wait (maxInFlight)": async (shape) => {
    const { setUp, begun, release, running } = waiting();
    await using made = await pair(shape, { limits: { maxInFlight: 1 } }, {}, setUp);
    const calls = [made.session.callTool({ name: "wait" }), made.session.callTool({ name: "wait" })];
    await begun;
    const other = await made.another();
    await settle();
    const most = running();
    release();
    await Promise.all(calls);
    await other.close();
    return most === 1 ? "works" : `${most} at a time`;
  },
  "limits: of one client only": async (shape) => {
    await using made = await pair(shape, { limits: { maxSubscriptions: 1 } });
    const other = await made.another();
    const watches = [made.session, other].map((session) => session.watch("test://a"));
    const outcomes = await Promise.all(watches.map((watch) => outcomeOf(watch.ready)));
    return outcomes.find((outcome) => outcome !== "works") ?? "works";
  },
};

const [[, ...columns] = [], ...rows] = table
  .trim()
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("the table has a row for every trial and a column for every shape", () => {
  expect(rows.map(([feature]) => feature)).toEqual(Object.keys(trials));
  expect(columns).toEqual(Object.keys(shapes));
});

test.each(
  rows.flatMap(([feature = "", ...cells]) =>
    cells.flatMap((cell, index) => (cell === "-" ? [] : [[feature, columns[index] ?? "", cell] as const])),
  ),
)("%s (%s): %s", async (feature, column, cell) => {
  const outcome = await trials[feature]?.(shapes[column] as Shape, cell);
  expect(outcome).toBe(codes[cell] ?? cell);
});
