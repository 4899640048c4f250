import { createVirtualClock } from "@tenon/jsonrpc2/testing";

import type { Bus } from "../../bus/contract.ts";
import { createMailbox } from "../../bus/mailbox.ts";
import { equal, everyText, rejects, times, type Check } from "../check.ts";

/** Messages with an address, and their responses. */
export const addresses: readonly Check<Bus>[] = [
  {
    name: "a message reaches the receiver of its address in another process, which responds",
    async run({ store, other }) {
      const [asker, receiver] = [await createMailbox(store), await createMailbox(other)];
      await receiver.receive("session:1", (payload) => `${payload}, answered`);
      equal(await asker.ask("session:1", "question"), "question, answered");
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "each message gets its own response, in any order",
    async run({ store, other }) {
      const [asker, receiver] = [await createMailbox(store), await createMailbox(other)];
      const waiting: (() => void)[] = [];
      await receiver.receive("address", async (payload) => {
        await new Promise<void>((resolve) => {
          waiting.unshift(resolve);
          if (waiting.length === 20) {
            waiting.forEach((go) => go());
          }
        });
        return payload;
      });
      equal(
        await times(20, (index) => asker.ask("address", String(index))),
        Array.from({ length: 20 }, (_, index) => String(index)),
      );
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "a receiver gets messages of its own address only",
    async run({ store, other }) {
      const [asker, receiver] = [await createMailbox(store), await createMailbox(other)];
      const got: string[] = [];
      await receiver.receive("a", (payload) => {
        got.push(payload);
        return "a";
      });
      await receiver.receive("b", () => "b");
      equal(await asker.ask("b", "1"), "b");
      equal(await asker.ask("a", "2"), "a");
      equal(got, ["2"]);
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "large messages and responses of every kind come unchanged",
    async run({ store, other }) {
      const [asker, receiver] = [await createMailbox(store), await createMailbox(other)];
      await receiver.receive("a", (payload) => payload);
      const text = everyText(100_000);
      equal((await asker.ask("a", text)) === text, true);
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "without a receiver a message fails after its time",
    async run({ store }) {
      const clock = createVirtualClock();
      const asker = await createMailbox(store, { clock, limits: { timeoutMs: 1000 } });
      const asked = asker.ask("nobody", "question");
      clock.advance(1001);
      await rejects(() => asked, "NO_RECEIVER");
      equal(clock.timers, 0);
      await asker.close();
    },
  },
  {
    name: "a receiver that fails makes the message fail at once, and its error stays local",
    async run({ store, other }) {
      const errors: unknown[] = [];
      const asker = await createMailbox(store);
      const receiver = await createMailbox(other, { onError: (error) => errors.push(error) });
      await receiver.receive("a", () => {
        throw new Error("secret");
      });
      let message = "";
      await asker.ask("a", "question").catch((error: Error) => {
        message = error.message;
      });
      equal([message.includes("secret"), errors.length], [false, 1]);
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "a receiver that left gets nothing, and the next one at its address does",
    async run({ store, other }) {
      const [asker, receiver] = [await createMailbox(store), await createMailbox(other)];
      const first = await receiver.receive("a", () => "first");
      await first[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
      await asker.receive("a", () => "second");
      equal(await asker.ask("a", "question"), "second");
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "closing a mailbox rejects what waits, and leaves the bus open",
    async run({ store, other }) {
      const [asker, receiver] = [await createMailbox(store), await createMailbox(other)];
      await receiver.receive("a", () => new Promise<string>(() => {}));
      const asked = asker.ask("a", "question");
      const rejected = rejects(() => asked, "CLOSED");
      await asker.close();
      await rejected;
      await rejects(() => asker.ask("a", "question"), "CLOSED");
      await rejects(() => asker.receive("a", () => ""), "CLOSED");
      await receiver.close();
      await store.publish("topic", "x");
    },
  },
];
