import { expect, test } from "vitest";

import type { Incoming } from "../src/index.ts";
import { MessageQueue } from "../src/transport-kit.ts";
import { note } from "./helpers.ts";

/** Reads a queue on and on in one of its two ways, into one list. */
const ways = {
  read: (queue: MessageQueue, seen: unknown[]): void => {
    const next = (): void => {
      queue.read().then(
        (incoming) => take(incoming),
        (error: unknown) => seen.push(error),
      );
    };
    const take = (incoming: Incoming | undefined): void => {
      seen.push(incoming);
      if (incoming !== undefined) {
        next();
      }
    };
    next();
  },
  readTo: (queue: MessageQueue, seen: unknown[]): void => {
    const reader = {
      take: (incoming: Incoming | undefined): void => {
        seen.push(incoming);
        if (incoming !== undefined) {
          queue.readTo(reader);
        }
      },
      lose: (error: unknown): void => {
        seen.push(error);
      },
    };
    queue.readTo(reader);
  },
};

test.each(Object.entries(ways))(
  "%s of a queue gets each message once, in order, then its end",
  async (_, read) => {
    const reason = new Error("lost");
    for (const end of [undefined, reason]) {
      const queue = new MessageQueue(2);
      const seen: unknown[] = [];
      await queue.put(note("before"));
      read(queue, seen);
      await Promise.resolve();
      expect(queue.put(note("waited for"))).toBe(undefined);
      // Nobody may be called within `put`.
      expect(seen.length).toBe(1);
      queue.put(note("second"));
      const full = queue.put(note("third"));
      await full;
      queue.end({ error: end });
      queue.put(note("late"));
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toEqual([note("before"), note("waited for"), note("second"), note("third"), end]);
    }
  },
);

test("a reader that waits is told of the end", async () => {
  for (const end of [undefined, new Error("lost")]) {
    const queue = new MessageQueue();
    const seen: unknown[] = [];
    ways.readTo(queue, seen);
    queue.end({ error: end });
    expect(seen).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([end]);
  }
});
