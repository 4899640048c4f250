import type { Connection, Outgoing } from "@tenon/jsonrpc2";
import { Server } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { Slices } from "../src/feature/subscriptions/server/slices.ts";
import { macrotask } from "./asking.ts";
import { initialize, request } from "./wire.ts";

/** A legacy client that notes the methods which it is notified of. */
interface Reader {
  readonly connection: Connection;
  readonly heard: string[];
}

async function openReader(server: Server): Promise<Reader> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const connection = await here.connect();
  await connection.write(initialize(legacyRevision) as Outgoing);
  await connection.read();
  await connection.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  await connection.write(request("sub", "resources/subscribe", { uri: "memo://1" }) as Outgoing);
  await connection.read();
  const heard: string[] = [];
  void (async () => {
    for (let message = await connection.read(); message !== undefined; message = await connection.read()) {
      heard.push("method" in message ? message.method : "answer");
    }
  })();
  return { connection, heard };
}

test("changes are told to many sessions in slices, between which requests are answered, and in one order to each", async () => {
  const server = new Server({ name: "server", version: "1.0.0" }, { limits: { listChangedDelayMs: 0 } });
  server.addResource({ uri: "memo://1", name: "one" }, () => "one");
  const readers: Reader[] = [];
  for (let i = 0; i < 450; i++) {
    readers.push(await openReader(server));
  }
  const [first] = readers;
  const told = (): number => readers.filter(({ heard }) => heard.length > 0).length;
  server.resourceUpdated("memo://1");
  server.addTool({ name: "t" }, () => "");
  void first?.connection.write(request(1, "ping") as Outgoing);
  // Nothing but microtasks: the first slice only.
  for (let i = 0; i < 100; i++) {
    await Promise.resolve();
  }
  expect(told()).toBe(100);
  expect(first?.heard).toContain("answer");
  while (readers.some(({ heard }) => !heard.includes("notifications/tools/list_changed"))) {
    await macrotask();
  }
  for (const { heard } of readers) {
    expect(heard.filter((method) => method !== "answer")).toEqual([
      "notifications/resources/updated",
      "notifications/tools/list_changed",
    ]);
  }
  await server.close({ drainMs: 0 });
});

test("of a storm of updates a session gets the first one and one for all others", async () => {
  const server = new Server({ name: "server", version: "1.0.0" });
  server.addResource({ uri: "memo://1", name: "one" }, () => "one");
  const readers: Reader[] = [];
  for (let i = 0; i < 150; i++) {
    readers.push(await openReader(server));
  }
  for (let i = 0; i < 50; i++) {
    server.resourceUpdated("memo://1");
  }
  // Of the list of tools everybody is notified: after it nothing of the storm is left.
  server.addTool({ name: "t" }, () => "");
  while (readers.some(({ heard }) => !heard.includes("notifications/tools/list_changed"))) {
    await macrotask();
  }
  for (const { heard } of readers) {
    expect(heard).toEqual([
      "notifications/resources/updated",
      "notifications/resources/updated",
      "notifications/tools/list_changed",
    ]);
  }
  await server.close({ drainMs: 0 });
});

test("an update that replaces a waiting one is for the readers of the moment", async () => {
  const slices = new Slices(() => {});
  const told: string[] = [];
  slices.each(
    "a",
    Array.from({ length: 101 }, () => "a"),
    () => {},
  );
  slices.each("b", ["early", "gone"], (reader) => told.push(`before: ${reader}`));
  slices.each("c", ["early"], (reader) => told.push(`other: ${reader}`));
  slices.each("b", ["early", "late"], (reader) => told.push(`after: ${reader}`));
  while (told.length < 3) {
    await macrotask();
  }
  expect(told).toEqual(["after: early", "after: late", "other: early"]);
});

test("an error in the notification of one reader does not keep the others from theirs", async () => {
  const errors: unknown[] = [];
  const slices = new Slices((error) => errors.push(error));
  const told: number[] = [];
  const tell = (reader: number): void => {
    told.push(reader);
    if (reader % 100 === 50) {
      throw new Error(`reader ${reader}`);
    }
  };
  const readers = Array.from({ length: 250 }, (_, reader) => reader);
  slices.each("a", readers, tell);
  slices.each("b", [1000], tell);
  while (told.length < 251) {
    await macrotask();
  }
  expect(told).toEqual([...readers, 1000]);
  expect(errors).toHaveLength(2);
});

test("readers do not wait beyond a limit, however many different changes there are", () => {
  const slices = new Slices(() => {});
  const readers = Array.from({ length: 1000 }, (_, reader) => reader);
  let told = 0;
  for (let change = 0; change < 300; change++) {
    slices.each(`change ${change}`, readers, () => void told++);
  }
  expect(300 * 1000 - told).toBeLessThanOrEqual(100_000);
});
