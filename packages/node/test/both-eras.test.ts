import { modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connect, eras, serve } from "./setup.ts";

test.each(eras)("a $era client lists and calls tools", async ({ era, revisions }) => {
  await using listening = await serve();
  await using session = await connect(listening.url, {}, { revisions });
  expect(session.era).toBe(era);
  const names: string[] = [];
  for await (const tool of session.tools()) {
    names.push(tool.name);
  }
  expect(names).toEqual(["add", "count", "who"]);
  const result = await session.callTool({ name: "add", arguments: { a: 1, b: 2 } });
  expect(result.content).toEqual([{ type: "text", text: "3" }]);
});

test.each(eras)("a $era client sees progress before the answer", async ({ revisions }) => {
  await using listening = await serve();
  await using session = await connect(listening.url, {}, { revisions });
  const seen: number[] = [];
  const result = await session.callTool(
    { name: "count" },
    { onProgress: ({ progress }) => seen.push(progress) },
  );
  expect(seen).toEqual([1, 2, 3]);
  expect(result.content).toEqual([{ type: "text", text: "counted" }]);
});

test("a client of every revision finds the newest one in common", async () => {
  await using listening = await serve();
  await using session = await connect(listening.url);
  expect(session.revision).toBe(modernRevision);
});

test.each(eras)("64 calls of a $era client at a time get their own answers", async ({ revisions }) => {
  await using listening = await serve();
  await using session = await connect(listening.url, {}, { revisions });
  const results = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      session.callTool({ name: "add", arguments: { a: index, b: 1000 } }),
    ),
  );
  expect(results.map(({ content }) => content)).toEqual(
    results.map((_, index) => [{ type: "text", text: String(1000 + index) }]),
  );
});

test.each(eras)("a handler knows the headers and the principal of a $era request", async ({ revisions }) => {
  await using listening = await serve(undefined, { authenticate: () => ({ principal: "alice" }) });
  await using session = await connect(listening.url, { headers: { "x-tenant": "blue" } }, { revisions });
  const result = await session.callTool({ name: "who" });
  expect(result.content).toEqual([{ type: "text", text: "alice blue" }]);
});
