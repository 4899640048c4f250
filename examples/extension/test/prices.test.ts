import { Client } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { expect, test } from "vitest";

import { priceReader, prices } from "../src/prices.ts";

test.each(["2025-11-25", "2026-07-28"] as const)(
  "a client sees prices and what it has spent (%s)",
  async (revision) => {
    const server = new Server({ name: "shop", version: "1.0.0" });
    server.use(prices);
    server.addTool({ name: "translate", price: 3 }, () => "Zapfen");
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    await using client = new Client({ name: "buyer", version: "1.0.0" }, { revisions: [revision] });
    client.use(priceReader);
    const session = await client.connect(here);
    const { tools } = await session.listTools();
    expect(tools[0]?._meta).toEqual({ "com.example/prices": { cents: 3 } });
    await session.callTool({ name: "translate" });
    await session.callTool({ name: "translate" });
    expect(await session.spent()).toBe(6);
    await server.close();
  },
);
