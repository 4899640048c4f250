import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { proxied } from "./lanes-fixture.ts";

test.each([{ back: modernRevision }, { back: legacyRevision, isolation: "everybody" }] as const)(
  "a server that is replaced often keeps maxLanes old connections with calls (server: %o)",
  async (options) => {
    const mayEnd = deferred();
    const unreachable: unknown[] = [];
    const { send, lanes, runs, connections } = await proxied(
      {
        ...options,
        limits: { maxLanes: 1 },
        onEnd: () => connections.count--,
        onUnreachable: (error) => unreachable.push(error),
      },
      { slow: (_, name) => mayEnd.promise.then(() => `done ${name}`) },
    );
    const calls: ReturnType<typeof send>[] = [];
    for (const name of ["1", "2", "3", "4"]) {
      calls.push(send("ann", "slow", { arguments: { name } }));
      await expect.poll(() => runs.filter((run) => !run.startsWith("abort"))).toHaveLength(calls.length);
      await lanes.start();
    }
    // The present connection, and one that was replaced.
    await expect.poll(() => connections.count).toBe(2);
    mayEnd.resolve();
    const answers = await Promise.all(calls);
    expect(answers.map(({ result, error }) => error?.data ?? result?.content?.[0]?.text)).toEqual([
      ...Array.from({ length: 3 }, () => ({ reason: "call-lost", delivered: "maybe" })),
      "done 4",
    ]);
    expect(answers[0]?.error?.message).toMatch(/connection to the server was replaced.* is 1 \(maxLanes\)/);
    // The server is not suspected: its connections were closed here.
    expect(unreachable).toEqual([]);
    await expect.poll(() => connections.count).toBe(1);
  },
);
