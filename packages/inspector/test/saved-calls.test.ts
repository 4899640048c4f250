import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { fileSavedCalls } from "@tenon/inspector/node";
import { expect, onTestFinished, test } from "vitest";

test("of two calls of save at a time, the file has the calls of the second", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-inspector-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = fileSavedCalls(join(folder, "calls.json"));
  const longer = { name: "first", method: "tools/call", params: { text: "x".repeat(30_000_000) } };
  const second = { name: "second", method: "tools/call", params: {} };
  await Promise.all([store.save([longer]), store.save([second])]);
  expect(await store.load()).toEqual([second]);
});
