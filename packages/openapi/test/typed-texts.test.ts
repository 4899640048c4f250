import { expect, test } from "vitest";

import { open, type Opened } from "./api.ts";

const query = (name: string, schema: object, more: object = {}): object => ({
  in: "query",
  name,
  schema,
  ...more,
});
/** Types behind a reference, in alternatives, as FastAPI writes them, and in a list. */
const document = {
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  components: { schemas: { Page: { type: "integer" } } },
  paths: {
    "/items": {
      get: {
        operationId: "list",
        parameters: [
          query("page", { $ref: "#/components/schemas/Page" }),
          query("size", { anyOf: [{ type: "integer" }, { type: "null" }] }),
          query("limit", { type: ["integer", "null"] }),
          query("archived", { type: "boolean" }),
          query("name", { type: "string" }),
          query("id", { type: "integer" }),
          query("ids", { anyOf: [{ type: "array", items: { type: "integer" } }, { type: "null" }] }),
        ],
      },
    },
  },
};
const written = "page=2&size=10&limit=3&archived=false&name=7&ids=1&ids=2";
const typed = { page: 2, size: 10, limit: 3, archived: false, name: "7", ids: [1, 2] };

/** Lists the items, and once more with the arguments that the result names. */
async function listTwice({ session }: Opened): Promise<unknown> {
  const { _meta } = await session.callTool({ name: "list" });
  const next = _meta?.["dev.tenon/nextArguments"] as Record<string, unknown>;
  expect((await session.callTool({ name: "list", arguments: next })).isError).toBeUndefined();
  return next;
}

test("the next call can have the arguments of a link, whatever their schemas look like", async () => {
  const opened = await open(document);
  opened.api.answer = { body: {}, headers: { link: `</items?${written}>; rel="next"` } };
  expect(await listTwice(opened)).toEqual(typed);
  expect(opened.api.requests.at(-1)?.target).toBe(`/items?${written}`);
});

test("the next call can have a cursor, as a number or as a string of digits", async () => {
  for (const [argument, next, expected] of [
    ["page", "3", 3],
    ["size", 3, 3],
    ["name", 3, "3"],
    ["name", "3", "3"],
    ["id", "12345678901234567890", "12345678901234567890"],
  ] as const) {
    const opened = await open(document, { paging: () => ({ next: "/next", argument }) });
    opened.api.answer = { body: { next } };
    expect(await listTwice(opened)).toEqual({ [argument]: expected });
  }
});

test("the variables of a resource are what their schemas accept", async () => {
  const { session, api } = await open(document, { offer: () => "resource" });
  api.answer = { body: {} };
  for (const variable of ["page=2", "size=10", "limit=3", "archived=false", "name=7"]) {
    await session.readResource({ uri: `openapi://t/items?${variable}` });
    expect(api.requests.at(-1)?.target).toBe(`/items?${variable}`);
  }
  await session.readResource({ uri: "openapi://t/items?ids=1,2" });
  expect(api.requests.at(-1)?.target).toBe("/items?ids=1&ids=2");
  await expect(session.readResource({ uri: "openapi://t/items?size=big" })).rejects.toThrow("size");
});
