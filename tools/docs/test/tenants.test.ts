import { textOf } from "@tenon/sdk/client";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";
import { expect, test } from "vitest";

import { callFor, connectForTenants } from "./guide/tenants.ts";

test.each(["2025-11-25", "2026-07-28"] as const)(
  "calls for many tenants share a session, each with its own headers, in %s",
  async (revision) => {
    const server = new Server({ name: "reports", version: "1.0.0" }, { revisions: [revision] });
    server.addTool({ name: "report" }, async (_, { http }) => {
      await new Promise(setImmediate);
      return http?.headers.get("x-tenant") ?? "";
    });
    const handler = createStreamableHandler({ getServer: () => server });
    const { url, close } = await listen(handler, { port: 0 });
    const session = await connectForTenants(url);
    const names = ["acme", "globex", "initech"];
    const results = await Promise.all(names.map((name) => callFor(name, session)));
    expect(results.map((result) => textOf(result))).toEqual(names);
    await session.close();
    await close({ drainMs: 0 });
  },
);
