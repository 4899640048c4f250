import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createSqliteStores, type SqliteDatabase } from "@tenon/store-sqlite";
import { createTaskEngine, type TaskDefinition } from "@tenon/tasks";
import Database from "libsql";
import { expect, test } from "vitest";

const job: TaskDefinition = { name: "job", version: "1", run: async (task) => task.arguments };

async function demo(path: string): Promise<unknown> {
  // #region open
  const database = new Database(path);
  await using stores = createSqliteStores(database);
  await using engine = createTaskEngine({ store: stores.tasks });
  // #endregion open
  const { id } = await engine.start({ definition: job, arguments: "done", principal: "ada" });
  const ended = await engine.result(id, "ada");
  return ended?.outcome;
}

test("an engine runs its tasks on a SQLite file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
  expect(await demo(join(folder, "stores.db"))).toEqual({ result: "done" });
  rmSync(folder, { recursive: true });
});

test("a principal that has too many tasks gets no more, and others do", async () => {
  const stores = createSqliteStores(new Database(":memory:"), { limits: { maxTasksPerPrincipal: 1 } });
  const engine = createTaskEngine({ store: stores.tasks });
  await engine.start({ definition: job, arguments: "", principal: "ada" });
  await expect(engine.start({ definition: job, arguments: "", principal: "ada" })).rejects.toMatchObject({
    code: "STORE_FULL",
  });
  await engine.start({ definition: job, arguments: "", principal: "bob" });
  await engine.close();
  await stores.close();
});

test("a session keeps its newest events", async () => {
  const { events } = createSqliteStores(new Database(":memory:"), { limits: { maxEventsPerSession: 2 } });
  const key = { sessionId: "s", streamId: "t" };
  const ids = [await events.append(key, "1"), await events.append(key, "2"), await events.append(key, "3")];
  expect(await events.streamOf("s", ids[0] ?? "")).toBeUndefined();
  expect(await events.streamOf("s", ids[1] ?? "")).toBe("t");
});

/** `node:sqlite` exists from Node 22 on. */
const sqlite = process.getBuiltinModule("node:sqlite") as
  | { readonly DatabaseSync: new (path: string) => SqliteDatabase & { close(): void } }
  | undefined;

test.skipIf(sqlite === undefined)("a database of node:sqlite fits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
  const database = new (present(sqlite).DatabaseSync)(join(folder, "stores.db"));
  const { sessions, events } = createSqliteStores(database);
  const text = JSON.stringify("é\u0000😀");
  await sessions.create({ id: "s", principal: "a\u0000", opening: text, facts: text, node: undefined }, 1000);
  expect(await sessions.get("s", "a\u0000")).toMatchObject({ opening: text, facts: text });
  const first = await events.append({ sessionId: "s", streamId: "t" }, "");
  await events.append({ sessionId: "s", streamId: "t" }, "\u0000");
  const read: string[] = [];
  for await (const { data } of events.readAfter({ sessionId: "s", streamId: "t" }, first)) {
    read.push(data);
  }
  expect(read).toEqual(["\u0000"]);
  database.close();
  rmSync(folder, { recursive: true });
});

test("options that do not exist are refused", () => {
  const options = { limits: { eventTtl: 1 } } as object;
  expect(() => createSqliteStores(new Database(":memory:"), options)).toThrow("eventTtlMs");
});

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new TypeError("node:sqlite must exist.");
  }
  return value;
}
