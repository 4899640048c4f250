import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, resultOf } from "./conversation.ts";

/** What the query builders of many libraries return: it can be awaited, and is no `Promise`. */
function query<T>(value: T): Promise<T> {
  const promise = Promise.resolve(value);
  // oxlint-disable-next-line unicorn/no-thenable -- that is the point
  return { then: promise.then.bind(promise) } as Promise<T>;
}

test.each(bothEras)("handlers of all kinds may return what can be awaited, in %s", async (revision) => {
  await using conversation = await converse(revision, (server) => {
    server.addTool({ name: "t" }, () => query("tool"));
    server.addPrompt({ name: "p", arguments: [{ name: "a" }], complete: { a: () => query(["x"]) } }, () =>
      query("prompt"),
    );
    server.addResource({ uri: "r:1", name: "r" }, () => query("resource"));
  });
  expect(resultOf(await conversation.call("tools/call", { name: "t" }))).toMatchObject({
    content: [{ text: "tool" }],
  });
  expect(resultOf(await conversation.call("prompts/get", { name: "p" }))).toMatchObject({
    messages: [{ content: { text: "prompt" } }],
  });
  expect(resultOf(await conversation.call("resources/read", { uri: "r:1" }))).toMatchObject({
    contents: [{ text: "resource" }],
  });
  const params = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } };
  expect(resultOf(await conversation.call("completion/complete", params))).toMatchObject({
    completion: { values: ["x"] },
  });
});
