import type { Incoming } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { Inbox } from "../src/server/inbox.ts";

const note = (method: string): Incoming => ({ jsonrpc: "2.0", method });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the reader of a session's inbox gets each message once, in order, and then its end, but never at once", async () => {
  const inbox = new Inbox();
  const seen: unknown[] = [];
  const reader = {
    take(incoming: Incoming | undefined): void {
      seen.push(incoming);
      if (incoming !== undefined) {
        inbox.readTo(reader);
      }
    },
    lose: (error: unknown): void => void seen.push(error),
  };
  inbox.put(note("before"));
  expect(inbox.length).toBe(1);
  inbox.readTo(reader);
  expect(seen).toEqual([]);
  await turn();
  inbox.put(note("waited for"));
  inbox.put(note("second"));
  expect(seen).toEqual([note("before")]);
  await turn();
  inbox.end();
  inbox.put(note("late"));
  await turn();
  expect(seen).toEqual([note("before"), note("waited for"), note("second"), undefined]);
});

test("an inbox that ends drops what waits, and tells later readers of its end", async () => {
  const inbox = new Inbox();
  inbox.put(note("dropped"));
  inbox.end();
  inbox.end();
  expect(await inbox.read()).toBe(undefined);
  expect(await inbox.read()).toBe(undefined);
});
