import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { createTurns } from "../src/session/turns.ts";

const { signal } = new AbortController();

/** A prompt that a person has not answered yet. */
function prompt(): { readonly show: () => Promise<string>; end(): void; readonly isShown: boolean } {
  const ended = deferred();
  let isShown = false;
  return {
    async show() {
      isShown = true;
      await ended.promise;
      return "ended";
    },
    end: () => ended.resolve(),
    get isShown() {
      return isShown;
    },
  };
}

test("prompts are shown one after the other, also after a prompt that failed", async () => {
  const inTurn = createTurns(2);
  const [first, second, third] = [prompt(), prompt(), prompt()];
  const ends = [
    inTurn(signal, async () => {
      await first.show();
      throw new Error("no");
    }),
    inTurn(signal, second.show),
    inTurn(signal, third.show),
  ] as const;
  first.end();
  await expect(ends[0]).rejects.toThrow("no");
  await expect.poll(() => second.isShown).toBe(true);
  expect(third.isShown).toBe(false);
  second.end();
  third.end();
  expect(await Promise.all(ends.slice(1))).toEqual(["ended", "ended"]);
});

test("a waiting prompt that is cancelled leaves its place to others, before the current prompt ends", async () => {
  const inTurn = createTurns(1);
  const [shown, cancelled, next] = [prompt(), prompt(), prompt()];
  const first = inTurn(signal, shown.show);
  const controller = new AbortController();
  const waiting = inTurn(controller.signal, cancelled.show);
  await expect(inTurn(signal, next.show)).rejects.toThrow("1 others wait");
  controller.abort(new Error("The server has cancelled it."));
  await expect(waiting).rejects.toThrow("The server has cancelled it.");
  const last = inTurn(signal, next.show);
  shown.end();
  next.end();
  expect(await Promise.all([first, last])).toEqual(["ended", "ended"]);
  expect(cancelled.isShown).toBe(false);
});

test("a prompt whose signal has aborted is not shown", async () => {
  const inTurn = createTurns(1);
  const never = prompt();
  await expect(inTurn(AbortSignal.abort(new Error("over")), never.show)).rejects.toThrow("over");
  expect(never.isShown).toBe(false);
});
