import { Server } from "@tenon/mcp";
import { createAudit, createHealth, limitCalls, logRequests, visibleTools } from "@tenon/operations";
import { createMemoryRateLimits } from "@tenon/stores";
import { legacyRevision } from "@tenon/test-support";
import { pino } from "pino";
import { expect, test } from "vitest";

import { connect } from "./pair.ts";

test("the server of the README keeps its rules", async () => {
  const events: object[] = [];
  const logger = pino({ level: "silent" });
  const store = (batch: readonly object[]): void => void events.push(...batch);
  const rates = createMemoryRateLimits();
  const pool = { query: (sql: string) => Promise.resolve(sql) };

  // #region server
  const server = new Server({ name: "shop", version: "1.0.0" });
  server.addTool({ name: "search" }, () => "1 hit");
  server.addTool({ name: "refund" }, () => "refunded");

  const audit = createAudit({ write: store });
  server.addReceivingMiddleware(
    audit.middleware,
    logRequests(logger),
    limitCalls({ rates, tools: { search: { burst: 10, perSecond: 1 } } }),
    ...visibleTools(({ auth }, tool) => tool !== "refund" || auth?.principal === "ada"),
  );

  const health = createHealth({ checks: { shop: () => pool.query("SELECT 1") } });
  // listen(handler, { routes: [health] }) serves /live and /ready.
  // const close = [listening, server, audit];
  // process.once("SIGTERM", () => health.drain({ close }).catch(console.error));
  // #endregion server

  const session = await connect(server, legacyRevision);
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["search"]);
  await expect(session.callTool({ name: "refund" })).rejects.toThrow("Unknown tool: refund");
  for (let count = 0; count < 10; count++) {
    await session.callTool({ name: "search" });
  }
  await expect(session.callTool({ name: "search" })).rejects.toThrow("Too many requests");
  expect(await health.status()).toBe("ready");
  await audit.close();
  expect(events).toContainEqual(expect.objectContaining({ target: "refund", outcome: "rejected" }));
});
