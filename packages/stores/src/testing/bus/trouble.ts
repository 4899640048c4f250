import type { Bus } from "../../bus/contract.ts";
import { eventually, rejects, type Check } from "../check.ts";
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
    name: "a closed bus refuses everything",
    async run({ store }) {
      await store.close();
      await store.close();
      await rejects(() => store.publish("topic", "x"), "CLOSED");
      await rejects(() => store.subscribe("topic", { message() {}, gap() {} }), "CLOSED");
    },
  },
];
