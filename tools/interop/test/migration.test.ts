import { createInMemoryTransports } from "@tenon/sdk/memory";
import { expect, test } from "vitest";

import { bridge } from "./memory/bridge.ts";
import * as official from "./migration/official-v1.ts";
import * as tenon from "./migration/tenon.ts";

const greeting = [{ type: "text", text: "Hello, you!" }];

test("what docs/migrating.md puts side by side does the same, and either half works with the other", async () => {
  const servers = [
    async (transport: ReturnType<typeof createInMemoryTransports>[1]) => {
      await official.createServer().connect(bridge(transport) as never);
    },
    async (transport: ReturnType<typeof createInMemoryTransports>[1]) => {
      await tenon.createServer().connect(transport);
    },
  ];
  for (const serve of servers) {
    const [first, firstServer] = createInMemoryTransports();
    await serve(firstServer);
    expect(await tenon.greet(first)).toEqual(greeting);
    const [second, secondServer] = createInMemoryTransports();
    await serve(secondServer);
    expect(await official.greet(bridge(second) as never)).toEqual(greeting);
  }
});
