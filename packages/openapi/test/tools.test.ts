import { expect, test } from "vitest";

import { open } from "./api.ts";

test("the operations of a document are the tools of a server", async () => {
  const { session, source, warnings } = await open("bookshop.yaml");
  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "addBook",
    "delete_books_bookId",
    "getBook",
    "getCover",
    "listBooks",
    "placeOrder",
    "setCover",
  ]);
  expect(source).toMatchObject({ title: "Bookshop", version: "1.4.0", skipped: [] });
  expect(warnings).toEqual([]);
  expect(tools.find(({ name }) => name === "listBooks")).toMatchObject({
    title: "List books",
    description: "List books\n\nLists the books of the shop, newest first.",
    annotations: { readOnlyHint: true },
  });
});

test("the arguments of a call become the request", async () => {
  const { session, api } = await open("bookshop.yaml");
  api.answer = { body: { books: [] } };
  const result = await session.callTool({
    name: "listBooks",
    arguments: {
      author: "Stanisław Lem",
      tag: ["a&b", "c"],
      price: { min: 1 },
      page: 2,
      "X-Request-ID": "r1",
    },
  });
  expect(result.structuredContent).toEqual({ books: [] });
  expect(api.requests).toHaveLength(1);
  expect(api.requests[0]).toMatchObject({
    method: "GET",
    target: "/books?author=Stanis%C5%82aw%20Lem&tag=a%26b&tag=c&price%5Bmin%5D=1&page=2",
    headers: { "x-request-id": "r1" },
  });
});
