import type { ClientSession } from "@tenon/sdk/client";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect } from "vitest";

import { pause } from "./faults.ts";
import type { World } from "./world.ts";

/** An exchange that something disturbs. */
export interface Begun {
  /** What is disturbed. It may reject, but it must settle. */
  during(): Promise<unknown>;
  /**
   * What must hold afterwards, when the stores are back.
   *
   * @param isWhole - Whether the disturbance was a delay only, so that nothing may have failed.
   */
  after(outcome: PromiseSettledResult<unknown>, isWhole: boolean): Promise<void>;
}

/** Begins an exchange. */
export type Exchange = (world: World) => Promise<Begun>;

/** The exchanges of the suites, by name. Each begins undisturbed. */
export const exchanges: Readonly<Record<string, Exchange>> = {
  "calls of a session at both nodes": async (world) => {
    const session = await world.connect(legacyRevision);
    await add(world, session, "before");
    return {
      during: () => add(world, session, "during"),
      after: async (outcome) => {
        settled(world, "during", outcome);
        // Both nodes know the session, or open it again in its place.
        await repeated(() => session.ping());
        await add(world, session, "after-1");
        await add(world, session, "after-2");
        once(world, "before", "after-1", "after-2");
      },
    };
  },

  "calls without sessions (2026-07-28)": async (world) => {
    const session = await world.connect(modernRevision);
    await add(world, session, "before");
    return {
      during: () => add(world, session, "during"),
      after: async (outcome) => {
        settled(world, "during", outcome);
        await add(world, session, "after");
        once(world, "before", "after");
      },
    };
  },

  "a session that is opened": async (world) => {
    await Promise.resolve();
    return {
      during: async () => add(world, await world.connect(legacyRevision), "during"),
      after: async (outcome) => {
        settled(world, "during", outcome);
        await add(world, await world.connect(legacyRevision), "after");
        once(world, "after");
      },
    };
  },

  "a log level that was confirmed": async (world) => {
    const logs: unknown[] = [];
    const session = await world.connect(legacyRevision, { onLog: ({ data }) => void logs.push(data) });
    await session.setLogLevel("error");
    return {
      during: () => session.callTool({ name: "log", arguments: { key: world.key("during") } }),
      after: async () => {
        await repeated(() => session.ping());
        for (const key of ["a", "b"]) {
          await session.callTool({ name: "log", arguments: { key: world.key(key) } });
        }
        expect(logs.filter((each) => String(each).includes("info"))).toEqual([]);
        expect(logs).toEqual(expect.arrayContaining(["a", "b"].map((key) => `${world.key(key)} error`)));
      },
    };
  },

  "subscriptions that were confirmed at two nodes": async (world) => {
    const updated = new Set<string>();
    const session = await world.connect(legacyRevision, {
      onResourceUpdated: ({ uri }) => void updated.add(uri),
    });
    await session.subscribe({ uri: "res:a" });
    return {
      // The next request goes to the other node: each learns of the change of the other.
      during: () => Promise.all([session.subscribe({ uri: "res:b" }), session.ping()]),
      after: async (outcome) => {
        await repeated(() => session.ping());
        const confirmed = outcome.status === "fulfilled" ? ["res:a", "res:b"] : ["res:a"];
        const missing = (): string[] => confirmed.filter((uri) => !updated.has(uri));
        await repeated(async () => {
          if (missing().length > 0) {
            world.nodes.forEach((node) => confirmed.forEach((uri) => node.updated(uri)));
            await pause(20);
            expect(missing()).toEqual([]);
          }
        });
      },
    };
  },

  "a question whose answer arrives at the other node": (world) => asking(world, legacyRevision),
  "a question in 2026-07-28, whose next round arrives at the other node": (world) =>
    asking(world, modernRevision),

  "an answer that nodes pass on in parts": async (world) => {
    const session = await world.connect(legacyRevision);
    const call = (): Promise<string> => text(world, session, "draw", "during");
    return {
      during: call,
      after: async (outcome) => {
        settled(world, "during", outcome, "true");
        expect(await text(world, session, "draw", "after")).toBe("true");
        once(world, "after");
      },
    };
  },

  "a stream that is resumed at the other node": async (world) => {
    const session = await world.connect(legacyRevision);
    const begun = deferred();
    const call = session.callTool(
      { name: "slow", arguments: { key: world.key("during") } },
      { onProgress: () => begun.resolve() },
    );
    call.catch(() => undefined);
    await begun.promise;
    return {
      during: async () => {
        world.cut();
        world.gateOf("during").resolve();
        return textOf(await call);
      },
      after: async (outcome, isWhole) => {
        settled(world, "during", outcome);
        if (isWhole) {
          once(world, "during");
        }
        await add(world, session, "after");
      },
    };
  },

  "a task of 2026-07-28 that waits for input": (world) => working(world, modernRevision),
  "a task of 2025-11-25 that waits for input": (world) => working(world, legacyRevision),
};

async function asking(world: World, revision: string): Promise<Begun> {
  const asked = deferred();
  const answer = deferred();
  const session = await world.connect(revision, {
    elicitation: {
      form: async () => {
        asked.resolve();
        await answer.promise;
        return { action: "accept", content: { name: "Ada" } };
      },
    },
  });
  const call = text(world, session, "ask", "during");
  call.catch(() => undefined);
  await asked.promise;
  return {
    during: () => {
      answer.resolve();
      return call;
    },
    after: async (outcome) => {
      settled(world, "during", outcome, "Ada");
      await repeated(() => session.ping());
      expect(await text(world, session, "ask", "after")).toBe("Ada");
      once(world, "after");
    },
  };
}

async function working(world: World, revision: string): Promise<Begun> {
  const asked = deferred();
  const answer = deferred();
  const session = await world.connect(revision, {
    elicitation: {
      form: async () => {
        asked.resolve();
        await answer.promise;
        return { action: "accept", content: { name: "Ada" } };
      },
    },
  });
  await session.listTools();
  const started = await session.tasks.start({ name: "job", arguments: { key: world.key("during") } });
  if (!("reference" in started)) {
    throw new TypeError("The call did not become a task.");
  }
  const result = started.result();
  result.catch(() => undefined);
  await asked.promise;
  return {
    during: async () => {
      answer.resolve();
      return textOf(await result);
    },
    after: async (outcome) => {
      // The task was confirmed, so its result must come, to this or to another client.
      let name = outcome.status === "fulfilled" ? outcome.value : undefined;
      if (name === undefined) {
        const again = await world.connect(revision);
        const resumed = await repeated(() => again.tasks.resume(started.reference));
        name = textOf(await resumed.result());
      }
      expect(name).toBe("Ada");
      once(world, "during");
    },
  };
}

async function text(world: World, session: ClientSession, tool: string, name: string): Promise<string> {
  return textOf(await session.callTool({ name: tool, arguments: { key: world.key(name) } }));
}

function add(world: World, session: ClientSession, name: string): Promise<string> {
  return text(world, session, "add", name);
}

function textOf({ content }: { readonly content: readonly object[] }): string {
  const [block] = content;
  return block !== undefined && "text" in block ? String(block.text) : "";
}

/** A call ran once at most, and once if it has a result. */
function settled(
  world: World,
  name: string,
  outcome: PromiseSettledResult<unknown>,
  value: string = world.key(name),
): void {
  const count = world.effectsOf(name);
  expect(count, `${name} ran ${count} times`).toBeLessThanOrEqual(1);
  if (outcome.status === "fulfilled") {
    expect(outcome.value).toBe(value);
    expect(count).toBe(1);
  }
}

function once(world: World, ...names: readonly string[]): void {
  expect(names.map((name) => [name, world.effectsOf(name)])).toEqual(names.map((name) => [name, 1]));
}

/** Repeats what does no harm, until the nodes have noticed that the stores are back. */
async function repeated<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 40) {
        throw error;
      }
      await pause(50);
    }
  }
}
