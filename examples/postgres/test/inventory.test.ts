import { dirname, join } from "node:path";

import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { hasPostgres, startPostgres, type PostgresServer } from "@tenon/test-support/postgres";
import { pair } from "@tenon/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";

import { createInventory, schema } from "../src/inventory.ts";

let server: PostgresServer | undefined;
let pool: pg.Pool | undefined;
let environment: Record<string, string> = {};

beforeAll(async () => {
  if (!hasPostgres) {
    return;
  }
  server = await startPostgres();
  const { target, user, password, database } = server;
  const { path, host, port } = target as { path?: string; host?: string; port?: number };
  environment = {
    PGHOST: path === undefined ? (host ?? "127.0.0.1") : dirname(path),
    PGPORT: String(port ?? 5432),
    PGUSER: user,
    PGDATABASE: database,
    ...(password === undefined ? {} : { PGPASSWORD: password }),
  };
  const options = "-c search_path=tenon_test -c client_min_messages=warning";
  pool = new pg.Pool({
    host: environment["PGHOST"],
    port: port ?? 5432,
    user,
    password,
    database,
    options,
  });
  await pool.query("DROP SCHEMA IF EXISTS tenon_test CASCADE; CREATE SCHEMA tenon_test");
  await pool.query(schema);
  await pool.query("INSERT INTO part (name, stock) VALUES ('oak 100%', 500), ('oak peg', 3)");
});

afterAll(async () => {
  await pool?.end();
  await server?.[Symbol.asyncDispose]();
});

test.skipIf(!hasPostgres).each(["2025-11-25", "2026-07-28"] as const)(
  "parts are found, reserved after consent and never reserved twice, for clients of %s (skipped without PostgreSQL)",
  async (revision) => {
    await pool?.query("UPDATE part SET stock = CASE id WHEN 1 THEN 500 ELSE 3 END");
    const asked: string[] = [];
    const form = ({ message }: { message: string }): object => {
      asked.push(message);
      return { action: "accept", content: { confirm: true } };
    };
    await using connected = await pair(createInventory(pool as pg.Pool), {
      revision,
      client: { elicitation: { form: form as never } },
    });
    const { session } = connected;
    const call = (name: string, args: object): Promise<object> =>
      session.callTool({ name, arguments: args as Record<string, unknown> });
    expect(await call("find_parts", { text: "100%" })).toMatchObject({
      structuredContent: { parts: [{ id: 1, name: "oak 100%" }] },
    });
    expect(await call("find_parts", { text: "'; DROP TABLE part; --" })).toMatchObject({
      structuredContent: { parts: [] },
    });
    const taken = await Promise.all([1, 2, 3, 4, 5].map(() => call("reserve_part", { id: 2, count: 1 })));
    expect(taken.filter((result) => !("isError" in result))).toHaveLength(3);
    expect(await call("reserve_part", { id: 1, count: 200 })).toMatchObject({
      structuredContent: { stock: 300 },
    });
    expect(asked).toEqual(["Reserve 200 at once?"]);
    const { contents } = await session.readResource({ uri: "part://1" });
    expect(contents).toMatchObject([{ text: '{"id":1,"name":"oak 100%","stock":300}' }]);
    await expect(session.readResource({ uri: "part://9" })).rejects.toThrow("There is no part");
  },
);

test.skipIf(!hasPostgres)("the program creates its table and ends with its client", async () => {
  const program = join(import.meta.dirname, "../dist/stdio.js");
  const transport = new CommandTransport({ command: process.execPath, args: [program], env: environment });
  await using session = await new Client({ name: "test", version: "1.0.0" }).connect(transport);
  expect(await session.callTool({ name: "find_parts", arguments: { text: "none" } })).toMatchObject({
    structuredContent: { parts: [] },
  });
});
