import { createSqliteStores } from "@tenon/store-sqlite";
import Libsql from "libsql";
import { expect, test } from "vitest";

test("a full disk is named as the reason, although SQLite has rolled back by itself", async () => {
  const database = new Libsql(":memory:");
  const stores = createSqliteStores(database);
  // No further page can be written, as on a full disk.
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  database.exec(`PRAGMA max_page_count = ${pages}`);
  const session = {
    id: "s",
    principal: undefined,
    opening: JSON.stringify("x".repeat(1_000_000)),
    facts: "{}",
    node: undefined,
  };
  await expect(stores.sessions.create(session, 1000)).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("full"),
  });
  await stores.sessions.create({ ...session, opening: "{}" }, 1000);
});
