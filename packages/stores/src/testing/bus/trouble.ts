import type { Bus } from "../../bus/contract.ts";
import { createMailbox } from "../../bus/mailbox.ts";
import { equal, eventually, interrupted, rejects, type Check } from "../check.ts";
import { openInbox } from "./inbox.ts";

/** Failures and the end of a bus. */
export const busTrouble: readonly Check<Bus>[] = [
  {
    name: "after the store was unreachable, `gap` is called, and messages arrive again",
    only: "stops",
    async run({ store, other, stop, restore }) {
      const inbox = await openInbox(other, "topic");
      await store.publish("topic", "before");
      await inbox.has("before");
      await stop();
      await rejects(() => store.publish("topic", "meanwhile"), "STORE_FAILED");
      await restore();
      await inbox.gap();
      await eventually(() => store.publish("topic", "after"));
      await inbox.has("after");
    },
  },
  {
    name: "a message that was published while the store was unreachable comes once or never",
    only: "stops",
    async run({ store, other, stop, restore }) {
      const inbox = await openInbox(other, "topic");
      await interrupted(30, (index) => store.publish("topic", String(index)), stop);
      await restore();
      await inbox.gap();
      // A message may be lost before the last call of `gap`.
      await eventually(async () => {
        await store.publish("topic", "after");
        equal(inbox.messages.includes("after"), true);
      });
      const before = inbox.messages.filter((message) => message !== "after").map(Number);
      equal(new Set(before).size, before.length);
    },
  },
  {
    name: "`gap` is called once for each subscription of each topic",
    only: "stops",
    async run({ store, other, stop, restore }) {
      const inboxes = [
        await openInbox(store, "a"),
        await openInbox(store, "a"),
        await openInbox(store, "b"),
        await openInbox(other, "a"),
      ];
      const left = await openInbox(store, "a");
      await stop();
      await left[Symbol.asyncDispose]();
      await restore();
      for (const inbox of inboxes) {
        await inbox.gap();
      }
      await eventually(() => other.publish("a", "after"));
      await inboxes[0]?.has("after");
      equal(
        inboxes.map(({ gaps }) => gaps),
        [1, 1, 1, 1],
      );
      equal([left.gaps, left.messages.length], [0, 0]);
    },
  },
  {
    name: "a message with an address fails while the store is unreachable, and arrives afterwards",
    only: "stops",
    async run({ store, other, stop, restore }) {
      const limits = { timeoutMs: 500 };
      const [asker, receiver] = [await createMailbox(store, { limits }), await createMailbox(other)];
      await receiver.receive("address", (payload) => `${payload}!`);
      equal(await asker.ask("address", "before"), "before!");
      await stop();
      await rejects(() => asker.ask("address", "meanwhile"), "STORE_FAILED");
      await restore();
      equal(await eventually(() => asker.ask("address", "after")), "after!");
      await asker.close();
      await receiver.close();
    },
  },
  {
    name: "a closed bus refuses everything",
    async run({ store }) {
      await store.close();
      await store.close();
      await rejects(() => store.publish("topic", "x"), "CLOSED");
      await rejects(() => store.subscribe("topic", { message() {}, gap() {} }), "CLOSED");
    },
  },
];
