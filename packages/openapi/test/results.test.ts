import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";

import { bothEras } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { cutJson } from "../src/response/cut.ts";
import { documentPath, open, startApi } from "./api.ts";

const book = { name: "getBook", arguments: { bookId: "1" } };
const textOf = ({ content }: { readonly content: readonly object[] }): string =>
  content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");

test("JSON is structured content, in both eras", async () => {
  for (const revision of bothEras) {
    const { session, api } = await open("bookshop.yaml", {}, { revision });
    api.answer = { body: { id: "1", title: "Solaris" } };
    const result = await session.callTool(book);
    expect(result).toMatchObject({
      structuredContent: { id: "1", title: "Solaris" },
      content: [{ type: "text", text: '{"id":"1","title":"Solaris"}' }],
    });
  }
});

test("an answer that does not match goes through with a warning, and is refused when strict", async () => {
  const lenient = await open("bookshop.yaml");
  const strict = await open("bookshop.yaml", { strictness: "strict" });
  for (const body of [{ id: 1 }, ["x"]]) {
    lenient.api.answer = strict.api.answer = { body };
    const result = await lenient.session.callTool(book);
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toBe(JSON.stringify(body));
    expect(await strict.session.callTool(book)).toMatchObject({ isError: true });
  }
  expect(lenient.warnings.join("\n")).toMatch(
    /GET \/books\/\{bookId\}: the response does not match its schema/,
  );
});

test("a warning that cannot be logged changes no result, and does not end the process", async () => {
  const lost: string[] = [];
  const late: unknown[] = [];
  const onRejection = (error: unknown): void => void late.push(error);
  process.on("unhandledRejection", onRejection);
  onTestFinished(() => void process.off("unhandledRejection", onRejection));
  const failing = (message: string): never => {
    lost.push(message);
    throw new Error("The log is full");
  };
  const hooks: readonly ((message: string) => unknown)[] = [failing, async (message) => failing(message)];
  for (const onWarning of hooks) {
    const { session, api } = await open("bookshop.yaml", { onWarning });
    api.answer = { body: { id: 1 } };
    const result = await session.callTool(book);
    expect([result.isError, result.structuredContent]).toEqual([undefined, { id: 1 }]);
  }
  await new Promise((resolve) => void setImmediate(resolve));
  expect([lost.length, late]).toEqual([2, []]);
});

test("images are blocks, other bytes resources, and no content says so", async () => {
  const { session, api } = await open("bookshop.yaml");
  const cover = { name: "getCover", arguments: { bookId: "1" } };
  api.answer = { body: new Uint8Array([1, 2]), headers: { "content-type": "image/png" } };
  expect((await session.callTool(cover)).content).toEqual([
    { type: "image", data: "AQI=", mimeType: "image/png" },
  ]);
  api.answer = { body: new Uint8Array([255, 2]), headers: { "content-type": "application/zip" } };
  expect((await session.callTool(cover)).content).toEqual([
    {
      type: "resource",
      resource: { uri: `${api.url}/books/1/cover`, blob: "/wI=", mimeType: "application/zip" },
    },
  ]);
  api.answer = {};
  const removed = await session.callTool({ name: "delete_books_bookId", arguments: { bookId: "1" } });
  expect(textOf(removed)).toBe("The API responded with 204 and no content.");
});

test("errors of the API have a status and an excerpt", async () => {
  const { session, api } = await open("bookshop.yaml");
  api.answer = { status: 404, body: { error: "x".repeat(10_000) } };
  const result = await session.callTool(book);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(
    /^GET \/books\/\{bookId\}: the API responded with 404 Not Found: \{"error":"x+…$/,
  );
  expect(textOf(result).length).toBeLessThan(2200);
});

test("an answer in HTML, and JSON that is broken, are errors", async () => {
  const { session, api } = await open("bookshop.yaml");
  api.answer = { body: "<h1>Login</h1>", headers: { "content-type": "text/html" } };
  expect(textOf(await session.callTool(book))).toContain(
    "expected JSON; the API responded with 200 and text/html: <h1>Login",
  );
  api.answer = { body: '{"id":', headers: { "content-type": "application/json" } };
  expect(textOf(await session.callTool(book))).toContain("JSON that is not valid");
});

test("a long answer is shortened where it is long, and says what was left out", async () => {
  const { session, api } = await open("bookshop.yaml", { limits: { maxResultBytes: 2000 } });
  const books = Array.from({ length: 100 }, (_, index) => ({ id: String(index), title: "t".repeat(50) }));
  api.answer = { body: { books, next: null } };
  const result = await session.callTool({ name: "listBooks" });
  const kept = (result.structuredContent as { readonly books: readonly unknown[] }).books.length;
  expect(kept).toBeGreaterThan(10);
  expect(textOf(result)).toContain(`Left out: the last ${100 - kept} of 100 items of /books.`);
  expect(result.structuredContent).toHaveProperty("next", null);
});

test("the parts of a deep answer are measured once, and one that is too deep is refused", async () => {
  let reads = 0;
  const leaf = Object.defineProperty({}, "long", {
    enumerable: true,
    get: () => (reads++, "x".repeat(1000)),
  });
  const deep = Array.from({ length: 90 }).reduce((inner) => ({ a: inner }), leaf);
  expect(cutJson(deep, 900)?.notes).toEqual([expect.stringMatching(/characters of \/a\/a/)]);
  expect(reads).toBeLessThanOrEqual(3);

  const { session, api } = await open("bookshop.yaml");
  for (const [levels, isError] of [
    [100, undefined],
    [101, true],
  ] as const) {
    api.answer = {
      body: `${"[".repeat(levels)}${"]".repeat(levels)}`,
      headers: { "content-type": "application/json" },
    };
    expect((await session.callTool(book)).isError).toBe(isError);
  }
});

test("an answer that never ends, and one that is shorter than announced, end the call", async () => {
  const { session, api } = await open("bookshop.yaml", { limits: { maxMessageBytes: 10_000 } });
  let isClosed = false;
  api.answer = {
    write: (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write("[".repeat(1000)), 1);
      response.on("close", () => {
        clearInterval(timer);
        isClosed = true;
      });
    },
  };
  expect(textOf(await session.callTool(book))).toContain("more than 10000 bytes");
  await expect.poll(() => isClosed).toBe(true);
  api.answer = {
    write: (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write("{}");
      setImmediate(() => response.destroy());
    },
  };
  expect(textOf(await session.callTool(book))).toContain("broke the connection");
});

test("integers of 64 bits keep their digits, as strings", async () => {
  const text =
    '{"id":9007199254740993,"list":[-12345678901234567890,9007199254740991,9007199254740994],"title":"\\"1234567890123456789","price":1.5}';
  const exact = {
    id: "9007199254740993",
    list: ["-12345678901234567890", 9007199254740991, "9007199254740994"],
    title: '"1234567890123456789',
    price: 1.5,
  };
  const answer = { body: text, headers: { "content-type": "application/json" } };
  const { session, api } = await open("bookshop.yaml");
  api.answer = answer;
  const result = await session.callTool(book);
  expect(result.structuredContent).toEqual(exact);
  expect(JSON.parse(textOf(result))).toEqual(exact);
});

test("an integer of 64 bits in a result can be an argument, with all its digits", async () => {
  const integer = { type: "integer", format: "int64" };
  const parameters = [
    { name: "id", in: "path", required: true, schema: integer },
    { name: "others", in: "query", schema: { type: "array", items: integer } },
  ];
  const requestBody = { content: { "application/json": { schema: { properties: { id: integer } } } } };
  const { session, api } = await open({
    openapi: "3.1.0",
    info: { title: "Posts", version: "1" },
    paths: { "/posts/{id}": { post: { operationId: "post", parameters, requestBody, responses: {} } } },
  });
  const id = "9007199254740993";
  const call = async (args: object): Promise<string> =>
    textOf(await session.callTool({ name: "post", arguments: args as never }));
  await call({ id, others: [1, id] });
  expect(api.requests.map(({ target }) => target)).toEqual([`/posts/${id}?others=1&others=${id}`]);
  // Other strings are not integers, and JSON has a type.
  for (const args of [{ id: "1" }, { id: "nine" }, { id: 1, body: { id } }, { id, others: ["1"] }]) {
    expect(await call(args)).toContain("expected integer, received string");
  }
  // A number of this length was rounded on its way, and names something else.
  for (const args of [{ id: Number(id) }, { id: 1, others: [1, -Number(id)] }]) {
    expect(await call(args)).toContain("or a string with its digits");
  }
  expect(api.requests).toHaveLength(1);
});

test("without limits of time, a document is read and an API is called", async () => {
  const api = await startApi();
  api.answer = ({ target }) => ({
    body: target === "/openapi.json" ? readFileSync(documentPath("bookshop.yaml"), "utf8") : { id: "1" },
  });
  const { session } = await open(new URL(`${api.url}/openapi.json`), {
    server: api.url,
    limits: { documentTimeoutMs: Infinity, totalTimeoutMs: Infinity },
  });
  expect((await session.callTool(book)).structuredContent).toEqual({ id: "1" });
});

test("a redirect within the API is followed, and one to another origin is not", async () => {
  const { session, api } = await open("bookshop.yaml", { credentials: { key: "key-123456" } });
  api.answer = ({ target }) =>
    target === "/books/1"
      ? { status: 302, headers: { location: "/books/2" } }
      : { body: { id: "2", title: "t" } };
  expect((await session.callTool(book)).structuredContent).toMatchObject({ id: "2" });
  api.answer = { status: 307, headers: { location: "https://elsewhere.example/books/1?key=x" } };
  const result = await session.callTool(book);
  expect(textOf(result)).toContain("another origin, https://elsewhere.example.");
  expect(api.requests).toHaveLength(3);
});

test("a request that changes something is sent to its new place, and its result is read by GET", async () => {
  const requestBody = { content: { "application/json": { schema: {} } } };
  const { session, api } = await open({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/items": { post: { operationId: "add", requestBody, responses: {} } } },
  });
  for (const [status, expected] of [
    [301, 'POST /items/ {"a":1} application/json'],
    [308, 'POST /items/ {"a":1} application/json'],
    [302, "GET /items/  "],
    [303, "GET /items/  "],
  ] as const) {
    api.answer = ({ target }) =>
      target === "/items" ? { status, headers: { location: "/items/" } } : { body: {} };
    await session.callTool({ name: "add", arguments: { body: { a: 1 } } });
    const { method, target, body, headers } = api.requests.at(-1) ?? ({} as never);
    expect(`${method} ${target} ${body.toString()} ${headers["content-type"] ?? ""}`).toBe(expected);
  }
});

test("requests that may be repeated are repeated, and others are not", async () => {
  const { session, api } = await open("bookshop.yaml", { limits: { initialDelayMs: 0 } });
  const busy = { status: 503, headers: { "retry-after": "0" } };
  api.answer = () => (api.requests.length < 3 ? busy : { body: { id: "1", title: "t" } });
  expect((await session.callTool(book)).isError).toBeUndefined();
  expect(api.requests).toHaveLength(3);
  api.answer = busy;
  const posted = await session.callTool({
    name: "addBook",
    arguments: { body: { title: "t", secret: "s" } },
  });
  expect(posted.isError).toBe(true);
  expect(api.requests).toHaveLength(4);
  api.answer = { status: 429, headers: { "retry-after": "3600" } };
  expect((await session.callTool(book)).isError).toBe(true);
  expect(api.requests).toHaveLength(5);
});

test("a link to the next page becomes arguments", async () => {
  const { session, api } = await open("bookshop.yaml");
  api.answer = {
    body: { books: [] },
    headers: { link: '</books?author=Lem&page=2>; rel="next", </books?page=9>; rel=last' },
  };
  const result = await session.callTool({ name: "listBooks", arguments: { author: "Lem" } });
  expect(result._meta).toMatchObject({ "dev.tenon/nextArguments": { page: 2 } });
  expect(textOf(result)).toContain('call again with {"page":2}');
});

test("a link to the next page changes the arguments that differ, and arrays stay arrays", async () => {
  const array = { type: "array", items: { type: "integer" } };
  const { session, api } = await open({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: {
      "/": {
        get: {
          operationId: "list",
          parameters: [
            { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
            { name: "after", in: "query", schema: array },
            { name: "near", in: "query", schema: array, style: "pipeDelimited", explode: false },
            { name: "constructor", in: "query", schema: { type: "string" } },
          ],
        },
      },
    },
  });
  const next = async (query: string, args: object): Promise<unknown> => {
    api.answer = { body: [], headers: { link: `</?${query}>; rel=next` } };
    const result = await session.callTool({ name: "list", arguments: { ...args } });
    return result._meta?.["dev.tenon/nextArguments"];
  };
  const tags = ["a", "b"];
  expect(await next("tags=a&tags=b&after=1", { tags })).toEqual({ after: [1] });
  expect(await next("tags=a&tags=b&after=1&after=2&near=3%7C4", { tags })).toEqual({
    after: [1, 2],
    near: [3, 4],
  });
  expect(await next("tags=a&tags=b", { tags })).toBeUndefined();
  expect(api.requests[0]?.target).toBe("/?tags=a&tags=b");
});

test("a cursor in the answer becomes an argument", async () => {
  const { session, api } = await open("bookshop.yaml", {
    paging: ({ name }) => (name === "listBooks" ? { next: "/next", argument: "page" } : undefined),
  });
  api.answer = { body: { books: [], next: "3" } };
  expect((await session.callTool({ name: "listBooks" }))._meta).toEqual(
    expect.objectContaining({ "dev.tenon/nextArguments": { page: 3 } }),
  );
  api.answer = { body: { books: [], next: null } };
  expect((await session.callTool({ name: "listBooks" }))._meta?.["dev.tenon/nextArguments"]).toBeUndefined();
});

test("a cancelled call ends the request, and one that takes too long, or whose answer drips, is an error", async () => {
  const { session, api } = await open("bookshop.yaml", { limits: { totalTimeoutMs: 100 } });
  // On a busy machine the 100 ms may end before the request arrives.
  let arrived = 0;
  let closed = 0;
  api.answer = {
    write: (response) => {
      arrived++;
      response.on("close", () => closed++);
    },
  };
  expect(textOf(await session.callTool(book))).toContain("did not respond within 100 ms");
  api.answer = {
    write: (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    },
  };
  expect(textOf(await session.callTool(book))).toContain("did not respond within 100 ms");
  const controller = new AbortController();
  const slow = await open("bookshop.yaml");
  slow.api.answer = {
    write: (response) => {
      arrived++;
      response.on("close", () => closed++);
      controller.abort();
    },
  };
  await expect(slow.session.callTool(book, { signal: controller.signal })).rejects.toThrow();
  await expect.poll(() => closed).toBe(arrived);
});

test("an API that is not there is an error without its address", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  const { session, warnings } = await open("bookshop.yaml", {
    server: `http://127.0.0.1:${port}`,
    limits: { maxRetries: 0 },
  });
  expect(textOf(await session.callTool(book))).toBe(
    "GET /books/{bookId}: the API could not be reached, or broke the connection (ECONNREFUSED).",
  );
  expect(warnings).toHaveLength(1);
});
