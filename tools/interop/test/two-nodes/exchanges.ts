import type { ClientSession } from "@tenon/sdk/client";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect } from "vitest";

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

/** The exchanges of the suites, by name. Each begins undisturbed. */
export const exchanges: Readonly<Record<string, (world: World) => Promise<Begun>>> = {
  "calls of a session at both nodes": async (world) => {
    const session = await world.connect(legacyRevision);
    await add(session, "before");
    return {
      during: () => add(session, "during"),
      after: async (outcome) => {
        settled(world, "during", outcome);
        // Both nodes know the session, or open it again in its place.
        await repeated(() => session.ping());
        await add(session, "after-1");
        await add(session, "after-2");
        once(world, "before", "after-1", "after-2");
      },
    };
  },

  "calls without sessions (2026-07-28)": async (world) => {
    const session = await world.connect(modernRevision);
    await add(session, "before");
    return {
      during: () => add(session, "during"),
      after: async (outcome) => {
        settled(world, "during", outcome);
        await add(session, "after");
        once(world, "before", "after");
      },
    };
  },

  "a session that is opened": async (world) => {
    await Promise.resolve();
    return {
      during: async () => add(await world.connect(legacyRevision), "during"),
      after: async (outcome) => {
        settled(world, "during", outcome);
        await add(await world.connect(legacyRevision), "after");
        once(world, "after");
      },
    };
  },

  "a log level that was confirmed": async (world) => {
    const logs: unknown[] = [];
    const session = await world.connect(legacyRevision, { onLog: ({ data }) => void logs.push(data) });
    await session.setLogLevel("error");
    return {
      during: () => session.callTool({ name: "log", arguments: { key: "during" } }),
      after: async () => {
        await repeated(() => session.ping());
        for (const key of ["a", "b"]) {
          await session.callTool({ name: "log", arguments: { key } });
        }
        expect(logs.filter((each) => String(each).includes("info"))).toEqual([]);
        expect(logs).toEqual(expect.arrayContaining(["a error", "b error"]));
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
        await expect
          .poll(
            () => {
              for (const { server, isKilled } of world.nodes) {
                confirmed.forEach((uri) => (isKilled ? undefined : server.resourceUpdated(uri)));
              }
              return confirmed.filter((uri) => !updated.has(uri));
            },
            { timeout: 5000 },
          )
          .toEqual([]);
      },
    };
  },

  "a question whose answer arrives at the other node": (world) => asking(world, legacyRevision),
  "a question in 2026-07-28, whose next round arrives at the other node": (world) =>
    asking(world, modernRevision),

  "an answer that nodes pass on in parts": async (world) => {
    const session = await world.connect(legacyRevision);
    const call = (): Promise<string> => text(session, "draw", "during");
    return {
      during: call,
      after: async (outcome) => {
        settled(world, "during", outcome, "true");
        expect(await text(session, "draw", "after")).toBe("true");
        once(world, "after");
      },
    };
  },

  "a stream that is resumed at the other node": async (world) => {
    const session = await world.connect(legacyRevision);
    const begun = deferred();
    const call = session.callTool(
      { name: "slow", arguments: { key: "during" } },
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
        await add(session, "after");
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
  const call = text(session, "ask", "during");
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
      expect(await text(session, "ask", "after")).toBe("Ada");
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
  const started = await session.tasks.start({ name: "job", arguments: { key: "during" } });
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

async function text(session: ClientSession, name: string, key: string): Promise<string> {
  return textOf(await session.callTool({ name, arguments: { key } }));
}

function add(session: ClientSession, key: string): Promise<string> {
  return text(session, "add", key);
}

function textOf({ content }: { readonly content: readonly object[] }): string {
  const [block] = content;
  return block !== undefined && "text" in block ? String(block.text) : "";
}

/** A call ran once at most, and once if it has a result. */
function settled(
  world: World,
  key: string,
  outcome: PromiseSettledResult<unknown>,
  value: string = key,
): void {
  const count = world.effects.get(key) ?? 0;
  expect(count, `${key} ran ${count} times`).toBeLessThanOrEqual(1);
  if (outcome.status === "fulfilled") {
    expect(outcome.value).toBe(value);
    expect(count).toBe(1);
  }
}

function once(world: World, ...keys: readonly string[]): void {
  expect(keys.map((key) => [key, world.effects.get(key)])).toEqual(keys.map((key) => [key, 1]));
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
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
