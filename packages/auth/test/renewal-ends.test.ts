import { expect, test } from "vitest";

import { memoryStore } from "../src/client.ts";
import { passing, setUp, turns } from "./setup.ts";

test("a provider that closes waits for the response of a refresh, and stores its tokens", async () => {
  const store = memoryStore();
  let writes = 0;
  const { servers, provider, clock } = setUp(
    {},
    {
      interactive: "onLogin",
      store: {
        ...store,
        put(key, value, conditions) {
          writes += key.startsWith("tokens.") ? 1 : 0;
          return store.put(key, value, conditions);
        },
      },
    },
  );
  await passing(clock, provider.login());
  servers.script.next("token", { delayMs: 8000 });
  clock.advance(3_600_001);
  void servers.call(provider).catch(() => {});
  await turns();
  const before = writes;
  await passing(clock, provider.close());
  expect(writes).toBe(before + 1);
});
