import { deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { proxied, type Answer } from "./lanes-fixture.ts";

const back = legacyRevision;

test("a principal that varies its capabilities gets no more than maxPerCaller connections, and all its calls run", async () => {
  const mayEnd = deferred();
  const { send, runs, lanes } = await proxied(
    { back, limits: { maxLanes: 3, maxPerCaller: 2, rootsWaitMs: 0 } },
    { work: () => mayEnd.promise.then(() => "done"), plain: () => "done" },
  );
  const varied = [{}, { sampling: {} }, { elicitation: {} }, { roots: {} }, { sampling: { tools: {} } }];
  const calls = varied.map((capabilities) => send("ann", "work", {}, capabilities));
  await expect.poll(() => runs).toHaveLength(2);
  expect((await send("bob", "plain")).result?.content).toEqual([{ type: "text", text: "done" }]);
  expect(lanes.size).toBe(3);
  mayEnd.resolve();
  for (const { error } of await Promise.all(calls)) {
    expect(error).toBeUndefined();
  }
});

test("if too many calls wait, the last one of the caller with most of them is refused", async () => {
  const mayEnd = deferred();
  const { send, runs } = await proxied(
    { back, limits: { maxPerCaller: 1, maxWaiting: 2 } },
    { work: () => mayEnd.promise.then(() => "done") },
  );
  const refused: string[] = [];
  const call = async (who: string): Promise<Answer> => {
    const answer = await send(who, "work");
    if (answer.error !== undefined) {
      expect(answer.error).toMatchObject({
        message: expect.stringContaining("maxWaiting") as string,
        data: { delivered: "no" },
      });
      refused.push(who);
    }
    return answer;
  };
  const calls = [call("ann")];
  await expect.poll(() => runs).toHaveLength(1);
  calls.push(call("ann"), call("ann"), call("ann"));
  await expect.poll(() => refused).toEqual(["ann"]);
  calls.push(call("bob"));
  await expect.poll(() => runs).toHaveLength(2);
  calls.push(call("bob"));
  await expect.poll(() => refused).toEqual(["ann", "ann"]);
  mayEnd.resolve();
  await Promise.all(calls);
  expect(runs).toHaveLength(4);
});
