import { Server } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { lazySource } from "../src/source/lazy-source.ts";

test("a server that is made while its composition closes is not listened to", async () => {
  const mayMake = deferred();
  const server = new Server({ name: "late", version: "1.0.0" });
  const source = lazySource(async () => {
    await mayMake.promise;
    return server;
  }, "late");
  const changes: unknown[] = [];
  source.onListChange?.((change) => void changes.push(change));
  const listed = source.complete({} as never, {});
  await source[Symbol.asyncDispose]();
  mayMake.resolve();
  await expect(listed).rejects.toMatchObject({ data: { delivered: "no" } });
  server.addTool({ name: "new" }, () => "");
  expect(changes).toEqual([]);
});
