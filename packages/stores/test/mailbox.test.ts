import { expect, test } from "vitest";

import { createMailbox, createMemoryBus, type Bus } from "../src/index.ts";

test("a mailbox that is closed while it subscribes to an address receives nothing", async () => {
  await using memory = createMemoryBus();
  let subscribing: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    subscribing = resolve;
  });
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let live = 0;
  const slow: Bus = {
    ...memory,
    async subscribe(topic, listener) {
      if (topic.startsWith("to:")) {
        subscribing();
        await gate;
      }
      const subscription = await memory.subscribe(topic, listener);
      live++;
      return {
        async [Symbol.asyncDispose]() {
          live--;
          await subscription[Symbol.asyncDispose]();
        },
      };
    },
  };
  const mailbox = await createMailbox(slow);
  const receiving = mailbox.receive("x", () => "pong");
  await begun;
  await mailbox.close();
  open();
  await expect(receiving).rejects.toMatchObject({ code: "CLOSED" });
  expect(live).toBe(0);
});
