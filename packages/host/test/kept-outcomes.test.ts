import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { RequestContext } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { KeptOutcomes } from "../src/lanes/kept-outcomes.ts";
import { accept, answering, askName, proxied, type Answer, type Proxied } from "./lanes-fixture.ts";

function kept(limits: { readonly maxHeld?: number; readonly maxKeptLength?: number }): {
  readonly outcomes: KeptOutcomes<string>;
  readonly keep: (id: string, owner: string, length: number) => boolean;
  readonly ids: (...all: string[]) => string[];
} {
  const outcomes = new KeptOutcomes<string>({
    limits: { maxHeld: 1000, maxOutcomeLength: 100, maxKeptLength: 1000, ...limits },
    clock: createVirtualClock(),
  });
  return {
    outcomes,
    keep: (id, owner, length) => outcomes.keep(id, id, { owner, length, ms: 1000 }),
    ids: (...all) => all.filter((id) => outcomes.has(id)),
  };
}

test("outcomes that are too large together push out the oldest of the caller whose outcomes are largest", () => {
  const { keep, ids } = kept({ maxKeptLength: 200 });
  keep("bob 1", "bob", 60);
  for (const id of ["ann 1", "ann 2", "ann 3"]) {
    keep(id, "ann", 60);
  }
  expect(ids("bob 1", "ann 1", "ann 2", "ann 3")).toEqual(["bob 1", "ann 2", "ann 3"]);
  // Many small ones are no more than few large ones.
  for (let count = 0; count < 20; count++) {
    keep(`eve ${count}`, "eve", 1);
  }
  expect(ids("bob 1", "ann 2", "ann 3", "eve 0", "eve 19")).toEqual([
    "bob 1",
    "ann 2",
    "ann 3",
    "eve 0",
    "eve 19",
  ]);
});

test("the number of outcomes is limited by caller too, and forgotten ones take no room", () => {
  const { keep, ids, outcomes } = kept({ maxHeld: 2, maxKeptLength: 100 });
  keep("bob 1", "bob", 40);
  keep("ann 1", "ann", 40);
  keep("ann 2", "ann", 40);
  expect(ids("bob 1", "ann 1", "ann 2")).toEqual(["bob 1", "ann 2"]);
  outcomes.clear();
  expect(keep("bob 2", "bob", 100)).toBe(true);
  expect(keep("bob 3", "bob", 101)).toBe(false);
  expect(ids("bob 2", "bob 3")).toEqual(["bob 2"]);
});

/** Calls a tool that asks for a name, and answers twice, as if the first response had been lost. */
async function answeredTwice(
  { send }: Proxied,
  who: string,
  repeat: () => Promise<void> = async () => {},
): Promise<readonly [Answer, Answer]> {
  const asked = await send(who, "ask");
  const params = answering(asked, accept(who));
  const first = await send(who, "ask", params);
  await repeat();
  return [first, await send(who, "ask", params)];
}

const large = {
  ask: async (context: RequestContext): Promise<string> => (await askName(context)).padEnd(5000),
};

test("an outcome above maxOutcomeLength is sent once, and a round that arrives twice is told that the call is lost", async () => {
  const [small, big] = [
    await answeredTwice(await proxied({ back: legacyRevision }, large), "ann"),
    await answeredTwice(
      await proxied({ back: legacyRevision, limits: { maxOutcomeLength: 5000 } }, large),
      "ann",
    ),
  ];
  expect(small[1]).toEqual(small[0]);
  expect(big[0].result?.content?.[0]?.text.trim()).toBe("accept ann");
  expect(big[1].error).toMatchObject({ data: { reason: "call-lost", delivered: "maybe" } });
});

test("the outcomes of one caller do not push out those of others by their size", async () => {
  const proxy = await proxied({ back: legacyRevision, limits: { maxKeptLength: 12_000 } }, large);
  const [first, second] = await answeredTwice(proxy, "bob", async () => {
    for (let count = 0; count < 4; count++) {
      await answeredTwice(proxy, "ann");
    }
  });
  expect(second).toEqual(first);
});

test("a caller whose calls fill the room for calls that wait for input loses its oldest to another caller", async () => {
  const proxy = await proxied(
    { back: legacyRevision, limits: { maxHeld: 3 } },
    { ask: async (context) => askName(context) },
  );
  const asked: Answer[] = [];
  for (let count = 0; count < 3; count++) {
    asked.push(await proxy.send("ann", "ask"));
  }
  expect((await proxy.send("ann", "ask")).error?.message).toContain("maxHeld");
  const [first] = await answeredTwice(proxy, "bob");
  expect(first.result?.content?.[0]?.text).toBe("accept bob");
  const answers = [];
  for (const each of asked) {
    answers.push(await proxy.send("ann", "ask", answering(each, accept("ann"))));
  }
  expect(answers.map(({ result, error }) => error?.data ?? result?.content?.[0]?.text)).toEqual([
    { reason: "call-lost", delivered: "maybe" },
    "accept ann",
    "accept ann",
  ]);
});
