import type { Connection, Transport } from "@tenon/jsonrpc2";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { samples } from "@tenon/samples";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

// The n-th thing that a transport does fails, for every n until all goes well: whatever it is,
// everything settles and nothing stays behind (T-101).

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(async () => {
  process.on("unhandledRejection", note);
  // Code is loaded when it is first needed, in real time.
  for (const revision of bothEras) {
    await run(revision, [], 1000);
  }
});
afterAll(() => void process.off("unhandledRejection", note));

/** How a transport fails: it says so, it loses a message, or it breaks. */
const faults = ["reject", "drop", "close"] as const;
/** Where. */
const points = ["client read", "client write", "server read", "server write"] as const;

interface Plan {
  readonly fault: (typeof faults)[number];
  readonly point: (typeof points)[number];
  /** Which of them fails, from 1. */
  readonly nth: number;
}

/** A plan under way: at 0 it is carried out. */
interface Pending extends Plan {
  left: number;
}

const pending = (plan: Plan): Pending => ({ ...plan, left: plan.nth });

/** A transport that fails as planned. */
function failing(inner: Transport, side: "client" | "server", plans: readonly Pending[]): Transport {
  const due = (what: "read" | "write"): Plan | undefined =>
    plans.filter((plan) => plan.point === `${side} ${what}` && --plan.left === 0)[0];
  return {
    async connect(options) {
      const connection = await inner.connect(options);
      const fail = async <T>({ fault }: Plan, lost: () => Promise<T>): Promise<T> => {
        if (fault === "close") {
          await connection.close();
        }
        return fault === "reject" ? Promise.reject(new Error("the planned fault")) : lost();
      };
      const faulty: Connection = {
        async read() {
          const message = await connection.read();
          const plan = due("read");
          return plan === undefined ? message : fail(plan, () => faulty.read());
        },
        write(message, writeOptions) {
          const plan = due("write");
          return plan === undefined
            ? connection.write(message, writeOptions)
            : fail(plan, () => Promise.resolve());
        },
        close: (reason) => connection.close(reason),
        [Symbol.asyncDispose]: () => connection.close(),
      };
      return faulty;
    },
  };
}

/** Waits for something in virtual time; an hour and a half is longer than any limit there is. */
async function within<T>(
  clock: VirtualClock,
  work: Promise<T>,
  turns: number,
): Promise<PromiseSettledResult<T> | "never"> {
  let outcome: PromiseSettledResult<T> | undefined;
  void Promise.allSettled([work]).then(([settled]) => (outcome = settled));
  for (let step = 0; step < 150; step++) {
    for (let turn = 0; turn < turns; turn++) {
      await new Promise(setImmediate);
      if (outcome !== undefined) {
        return outcome;
      }
    }
    clock.advance(step < 60 ? 1000 : 60_000);
  }
  // Encryption takes real time, more of it on a busy machine.
  for (let wait = 0; wait < 1000; wait++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    if (outcome !== undefined) {
      return outcome;
    }
    clock.advance(60_000);
  }
  return "never";
}

/** A conversation that uses most of what there is; by what is asked for. */
function converse(session: ClientSession): Readonly<Record<string, Promise<unknown>>> {
  const abort = new AbortController();
  const calls = {
    list: session.listTools(),
    progress: session.callTool({ name: "steps" }, { onProgress: () => {} }),
    asking: session.callTool({ name: "ask" }),
    read: session.readResource({ uri: "note://1" }),
    ping: session.ping(),
    cancelled: session.callTool({ name: "wait" }, { signal: abort.signal }),
  };
  const watch = session.watch("note://1");
  const watching = (async () => {
    for await (const update of watch) {
      void update;
    }
  })();
  setImmediate(() => abort.abort());
  // An update that is lost does not come: a watch waits for the next one, until it is closed.
  const closing = Promise.allSettled(Object.values(calls)).then(() => watch.close());
  return { ...calls, watching, closing };
}

async function run(revision: Revision, plans: readonly Pending[], turns = 20): Promise<string[]> {
  const problems: string[] = [];
  const clock = createVirtualClock();
  let handling = 0;
  const server = new Server({ name: "s", version: "1" }, { clock, logging: true });
  server.addResource({ uri: "note://1", name: "n" }, () => {
    setImmediate(() => server.resourceUpdated("note://1"));
    return "text";
  });
  server.addTool({ name: "wait" }, (_, { signal }) => {
    handling++;
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        handling--;
        resolve("aborted");
      });
    });
  });
  server.addTool({ name: "steps" }, async (_, { progress, log }) => {
    await progress(1, 2);
    await log("info", "half");
    await progress(2, 2);
    return "done";
  });
  server.addTool({ name: "ask" }, async (_, { elicit }) => {
    const { action } = await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
    return action;
  });
  const client = new Client(
    { name: "c", version: "1" },
    {
      clock,
      revisions: [revision],
      cache: false,
      elicitation: { form: async () => ({ action: "accept", content: {} }) },
      onLog: () => {},
    },
  );
  const [here, there] = createInMemoryTransports();
  const check = async (what: string, work: Promise<unknown>, mayFail: boolean): Promise<unknown> => {
    const outcome = await within(clock, work, turns);
    if (outcome === "never") {
      problems.push(`${what} never settles`);
    } else if (outcome.status === "rejected") {
      if (!mayFail) {
        problems.push(`${what} fails: ${String(outcome.reason)}`);
      }
    } else {
      return outcome.value;
    }
    return undefined;
  };
  await check("server.connect", server.connect(failing(there, "server", plans)), true);
  const session = await check("client.connect", client.connect(failing(here, "client", plans)), true);
  if (session !== undefined) {
    const parts = Object.entries(converse(session as ClientSession));
    await Promise.all(parts.map(([what, work]) => check(what, work, true)));
  }
  await check("client.close", client.close(), false);
  await check("server.close", server.close(), false);
  if (handling > 0) {
    problems.push(`${handling} handlers are still waiting`);
  }
  return problems;
}

test.each(
  bothEras.flatMap((revision) =>
    faults.flatMap((fault) => points.map((point) => [fault, point, revision] as const)),
  ),
)(
  "everything settles if a transport does %s at any %s, in %s (T-101, R-240)",
  async (fault, point, revision) => {
    for (let nth = 1; ; nth++) {
      const plan = pending({ fault, point, nth });
      expect([nth, ...(await run(revision, [plan]))]).toEqual([nth]);
      expect(unhandled).toEqual([]);
      if (plan.left > 0) {
        expect(nth).toBeGreaterThan(10);
        return;
      }
    }
  },
);

test.each(bothEras)(
  "everything settles whatever a transport does, in %s (T-100, R-240)",
  async (revision) => {
    const plan = fc.record({
      fault: fc.constantFrom(...faults),
      point: fc.constantFrom(...points),
      nth: fc.integer({ min: 1, max: 24 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 8 }), async (plans) => {
        expect(await run(revision, plans.map(pending))).toEqual([]);
        expect(unhandled).toEqual([]);
      }),
      { numRuns: samples(150) },
    );
  },
);
