import type { Bus } from "../../bus/contract.ts";
import { equal, everyText, rejects, times, type Check } from "../check.ts";
import { openInbox } from "./inbox.ts";

/** The subscribers of a message, and the order of messages. */
export const delivery: readonly Check<Bus>[] = [
  {
    name: "a message reaches every subscriber of its topic, in every process, once",
    async run({ store, other }) {
      const inboxes = [
        await openInbox(store, "topic"),
        await openInbox(store, "topic"),
        await openInbox(other, "topic"),
      ];
      await store.publish("topic", "one");
      await other.publish("topic", "two");
      for (const inbox of inboxes) {
        await inbox.count(2);
      }
      await store.publish("topic", "end");
      for (const inbox of inboxes) {
        await inbox.has("end");
        equal(inbox.messages.toSorted(), ["end", "one", "two"]);
        equal(inbox.gaps, 0);
      }
    },
  },
  {
    name: "a subscription is active when it resolves",
    async run({ store, other }) {
      for (let round = 0; round < 20; round++) {
        const inbox = await openInbox(store, `topic${round}`);
        await other.publish(`topic${round}`, "first");
        await inbox.has("first");
      }
    },
  },
  {
    name: "messages of one publisher come in the order in which it published them",
    async run({ store, other }) {
      const inbox = await openInbox(other, "topic");
      for (let count = 0; count < 300; count++) {
        await store.publish("topic", String(count));
      }
      await inbox.count(300);
      equal(
        inbox.messages,
        Array.from({ length: 300 }, (_, index) => String(index)),
      );
    },
  },
  {
    name: "messages that several processes publish at the same time all come",
    async run({ store, other }) {
      const inbox = await openInbox(store, "topic");
      await times(100, (index) => (index % 2 === 0 ? store : other).publish("topic", String(index)));
      await inbox.count(100);
      equal(new Set(inbox.messages).size, 100);
    },
  },
  {
    name: "a message of another topic does not come",
    async run({ store, other }) {
      const inbox = await openInbox(other, "topic");
      for (const topic of ["Topic", "topic2", "topi", "topic:", "{topic}", "*", "t*"]) {
        await store.publish(topic, "wrong");
      }
      await store.publish("topic", "right");
      await inbox.has("right");
      equal(inbox.messages, ["right"]);
    },
  },
  {
    name: "topics are names, never patterns, whatever characters they have",
    async run({ store, other }) {
      const topics = [
        "a",
        "A",
        "a:b",
        "{a}",
        "*",
        "?",
        "[a]",
        "a'b",
        'a"b',
        "a\\b",
        "%",
        "a;b",
        "a".repeat(200),
      ];
      const inboxes = await Promise.all(topics.map((topic) => openInbox(other, topic)));
      for (const [index, topic] of topics.entries()) {
        await store.publish(topic, String(index));
      }
      for (const [index, inbox] of inboxes.entries()) {
        await inbox.has(String(index));
        equal(inbox.messages, [String(index)]);
      }
    },
  },
  {
    name: "a subscription that was disposed of gets nothing, and others still get messages",
    async run({ store, other }) {
      const gone = await openInbox(other, "topic");
      const stays = await openInbox(other, "topic");
      await gone[Symbol.asyncDispose]();
      await gone[Symbol.asyncDispose]();
      await store.publish("topic", "late");
      await stays.has("late");
      equal(gone.messages, []);
      await stays[Symbol.asyncDispose]();
      const again = await openInbox(other, "topic");
      await store.publish("topic", "again");
      await again.has("again");
      equal([gone.messages, stays.messages], [[], ["late"]]);
    },
  },
  {
    name: "subscribing and leaving at the same time loses no later message",
    async run({ store, other }) {
      for (let round = 0; round < 20; round++) {
        const first = await openInbox(other, "topic");
        const [second] = await Promise.all([openInbox(other, "topic"), first[Symbol.asyncDispose]()]);
        await store.publish("topic", `round ${round}`);
        await second.has(`round ${round}`);
        await second[Symbol.asyncDispose]();
      }
    },
  },
  {
    name: "a message without subscribers is accepted, and not kept",
    async run({ store, other }) {
      await store.publish("topic", "early");
      const inbox = await openInbox(other, "topic");
      await store.publish("topic", "now");
      await inbox.has("now");
      equal(inbox.messages, ["now"]);
    },
  },
  {
    name: "a payload of a million characters, and of every kind, comes unchanged",
    async run({ store, other }) {
      const inbox = await openInbox(other, "topic");
      for (const payload of [everyText(1_000_000), "", everyText(9000), "end"]) {
        await store.publish("topic", payload);
        await inbox.has(payload);
      }
      equal(inbox.messages.length, 4);
    },
  },
  {
    name: "a payload above the limit and a topic that is not visible ASCII are refused",
    async run({ store }) {
      await rejects(() => store.publish("topic", "x".repeat(1_000_001)), "STORE_FULL");
      for (const topic of ["", "é", "a b", "a".repeat(201), "a\n"]) {
        let refused = 0;
        await store.publish(topic, "x").catch(() => refused++);
        await store.subscribe(topic, { message() {}, gap() {} }).catch(() => refused++);
        equal(refused, 2);
      }
    },
  },
  {
    name: "a thousand topics of one process are kept apart",
    async run({ store, other }) {
      const inboxes = await times(1000, (index) => openInbox(other, `topic${index}`));
      for (const index of [0, 500, 999]) {
        await store.publish(`topic${index}`, `to ${index}`);
        await inboxes[index]?.has(`to ${index}`);
      }
      equal(
        inboxes.reduce((sum, { messages }) => sum + messages.length, 0),
        3,
      );
    },
  },
];
