import { setMaxListeners } from "node:events";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openapi, type OpenApiOptions } from "@tenon/openapi";
import { expect, test } from "vitest";

import { documentPath, open, startApi } from "./api.ts";

const minimal = { openapi: "3.2.0", info: { title: "Small", version: "1" }, paths: {} };
const server = "https://api.example";

test("a document is an object, a text, a path or a URL", async () => {
  const api = await startApi();
  api.answer = { body: { ...minimal, servers: [{ url: "/v2/" }] } };
  const texts = [JSON.stringify(minimal), "openapi: 3.1.0\ninfo: { title: Small, version: '1' }\n"];
  for (const source of [minimal, ...texts]) {
    expect((await openapi(source, { server })).title).toBe("Small");
  }
  expect((await openapi(documentPath("bookshop.yaml"))).server).toBe("https://eu.bookshop.example/v1");
  expect((await openapi(documentPath("bookshop.yaml"), { variables: { region: "us" } })).server).toBe(
    "https://us.bookshop.example/v1",
  );
  expect((await openapi(documentPath("weather.yaml"))).server).toBe("https://weather.example/api");
  expect((await openapi(new URL(`${api.url}/openapi.json`))).server).toBe(`${api.url}/v2`);
});

test("what a document names is relative to the URL to which it was moved", async () => {
  const api = await startApi();
  const document = { ...minimal, servers: [{ url: "." }], paths: { "/a": { $ref: "paths.json#/a" } } };
  const bodies: Record<string, object> = {
    "/v3/openapi.json": document,
    "/v3/paths.json": { a: { get: { operationId: "moved", responses: {} } } },
  };
  api.answer = ({ target }) => {
    const body = bodies[target];
    return body === undefined ? { status: 302, headers: { location: "/v3/openapi.json" } } : { body };
  };
  const source = await openapi(`${api.url}/docs`);
  expect([source.server, source.operations.map(({ name }) => name)]).toEqual([`${api.url}/v3`, ["moved"]]);
});

test("variables of a server may be numbers, as a port without quotes in YAML", async () => {
  const document = `openapi: 3.0.3
info: { title: t, version: "1" }
servers:
  - url: https://books.example:{port}/v1
    variables: { port: { default: 8443, enum: [8443, 9443] } }
paths: {}
`;
  expect((await openapi(document)).server).toBe("https://books.example:8443/v1");
  const other = await openapi(document, { variables: { port: "9443" } });
  expect(other.server).toBe("https://books.example:9443/v1");
  await expect(openapi(document, { variables: { port: "80" } })).rejects.toThrow("the variable port");
});

test.each<[string, string | object, string]>([
  ["neither JSON nor YAML", "{a: [b\n", "DOCUMENT_UNREADABLE"],
  ["a list", "- a\n- b\n", "DOCUMENT_UNREADABLE"],
  ["of another version", { openapi: "4.0.0", paths: {} }, "DOCUMENT_INVALID"],
  ["of Swagger 1", { swaggerVersion: "1.2" }, "DOCUMENT_INVALID"],
  ["a file that is not there", "/nowhere/openapi.yaml", "DOCUMENT_UNREADABLE"],
  ["without a server", minimal, "NO_SERVER"],
  [
    "too deep",
    `${JSON.stringify(minimal).slice(0, -1)},"x-deep":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    "LIMIT",
  ],
  [
    "full of aliases",
    `a: &a [1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 12 }, (_, index) => `k${index}: &${String.fromCharCode(98 + index)} [${Array.from({ length: 9 }, () => `*${String.fromCharCode(97 + index)}`).join(",")}]`).join("\n")}\n`,
    "LIMIT",
  ],
])("a document that is %s is refused", async (_, source, code) => {
  await expect(openapi(source)).rejects.toMatchObject({ code });
});

test.each(["\n", "# A comment only\n", "~\n"])(
  "a YAML document without content is refused: %j",
  async (text) => {
    await expect(openapi(text)).rejects.toThrow("The document must be an object; got null.");
  },
);

test("a document that is too large, or does not arrive, is refused", async () => {
  const api = await startApi();
  api.answer = { body: { ...minimal, "x-much": "x".repeat(100_000) } };
  const limits = { maxDocumentBytes: 50_000 };
  await expect(openapi(new URL(api.url), { limits })).rejects.toMatchObject({ code: "LIMIT" });
  await expect(
    openapi(documentPath("bookshop.yaml"), { limits: { maxDocumentBytes: 10 } }),
  ).rejects.toMatchObject({
    code: "LIMIT",
  });
  await expect(openapi(minimal, { server, limits: { maxValues: 3 } })).rejects.toMatchObject({
    code: "LIMIT",
  });
  api.answer = { write: () => {} };
  await expect(openapi(new URL(api.url), { limits: { documentTimeoutMs: 200 } })).rejects.toThrow(
    "did not arrive within 200 ms",
  );
});

test("ten thousand operations are refused, and some of them are not", async () => {
  const operation = { responses: {} };
  const paths = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`/p${index}`, { get: operation }]),
  );
  const document = { ...minimal, paths };
  await expect(openapi(document, { server })).rejects.toThrow(/at most 2000 operations; got 10000/);
  const source = await openapi(document, {
    server,
    offer: ({ path }) => (path.endsWith("99") ? "tool" : false),
  });
  expect(source.operations).toHaveLength(100);
});

test("other documents are read from the folder of the document, and from nowhere else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  const path = join(folder, "openapi.json");
  const refer = ($ref: string): void => {
    const parameters = [{ name: "q", in: "query", schema: { $ref } }];
    writeFileSync(
      path,
      JSON.stringify({ ...minimal, paths: { "/a": { get: { parameters, responses: {} } } } }),
    );
  };
  writeFileSync(join(folder, "q.yaml"), "type: integer\n");
  symlinkSync("/etc/hostname", join(folder, "link.yaml"));
  refer("q.yaml");
  expect((await openapi(path, { server })).operations).toHaveLength(1);
  refer("link.yaml");
  await expect(openapi(path, { server })).rejects.toMatchObject({ code: "REFERENCE_REFUSED" });
  refer("missing.yaml");
  await expect(openapi(path, { server })).rejects.toMatchObject({ code: "REFERENCE_FAILED" });
  for (const reference of ["../../etc/hostname", "http://127.0.0.1:1/q.yaml"]) {
    refer(reference);
    const warnings: string[] = [];
    await openapi(path, { server, onWarning: (message) => void warnings.push(message) });
    expect(warnings.join()).toContain("leads nowhere");
  }
});

test("a document in hundreds of files is read, with at most maxDocuments of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
  for (const name of names) {
    writeFileSync(join(folder, `${name}.yaml`), "get: { responses: {} }\n");
  }
  const path = join(folder, "openapi.json");
  const paths = Object.fromEntries(names.map((name) => [`/${name}`, { $ref: `${name}.yaml` }]));
  writeFileSync(path, JSON.stringify({ ...minimal, paths }));
  expect((await openapi(path, { server })).operations).toHaveLength(300);
  await expect(openapi(path, { server, limits: { maxDocuments: 299 } })).rejects.toThrow(
    "refers to more than 299 documents. If you trust it, raise limits.maxDocuments.",
  );
});

test("a YAML document may use an anchor hundreds of times, with at most maxAliases anchors and aliases", async () => {
  const paths = Array.from({ length: 300 }, (_, index) => `  /p${index}: { get: { responses: *all } }\n`);
  const text = `openapi: 3.1.0\ninfo: { title: Small, version: "1" }\nx-all: &all { 200: { description: ok } }\npaths:\n${paths.join("")}`;
  expect((await openapi(text, { server })).operations).toHaveLength(300);
  await expect(openapi(text, { server, limits: { maxAliases: 300 } })).rejects.toThrow(
    "The document has more than 300 anchors and aliases. If you trust it, raise limits.maxAliases.",
  );
});

test.each([
  ["nothing else", "", "<<"],
  ["a directive", "%YAML 1.1\n---\n", "<<"],
  ["a tag", "", "!!merge <<"],
])(
  "merge keys of YAML with %s merge, at most maxValues values of which none is copied",
  async (_, head, key) => {
    const start = `${head}openapi: 3.1.0\ninfo: { title: Small, version: "1" }\n`;
    const text = `${start}x-all: &all { /p: { get: { responses: {} } } }\npaths: { ${key}: *all }\n`;
    expect((await openapi(text, { server })).operations).toHaveLength(1);
    const wide = Array.from({ length: 100 }, (__, index) => `k${index}: 1`).join(", ");
    const merging = Array.from({ length: 20 }, (__, index) => `x-${index}: { ${key}: *wide }\n`).join("");
    const reading = openapi(`${start}x-wide: &wide { ${wide} }\n${merging}`, {
      server,
      limits: { maxValues: 1500 },
    });
    await expect(reading).rejects.toThrow(/^The document merges more than 1500 values\./);
    // Copies of 40 objects, each with the object before it twice, would never end.
    const nested = Array.from(
      { length: 40 },
      (__, index) =>
        `x-${index + 1}: &m${index + 1} { a: { ${key}: *m${index} }, b: { ${key}: *m${index} } }\n`,
    );
    const bomb = `${start}x-0: &m0 { c: 1 }\n${nested.join("")}`;
    await expect(openapi(bomb, { server })).rejects.toMatchObject({ code: "LIMIT" });
  },
);

test("documents that are read at the same time have common limits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  const names = ["a", "b", "c"];
  for (const name of names) {
    const unused = Array.from({ length: 100 }, () => 1);
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ path: { get: { responses: {} } }, unused }));
  }
  const path = join(folder, "openapi.json");
  const paths = Object.fromEntries(names.map((name) => [`/${name}`, { $ref: `${name}.json#/path` }]));
  writeFileSync(path, JSON.stringify({ ...minimal, paths }));
  expect((await openapi(path, { server })).operations).toHaveLength(3);
  // The documents have 3 times 104 values, and 14 in the first.
  for (const [limits, message] of [
    [{ maxValues: 300 }, /^The documents up to \S+ have more than 300 values\./],
    [{ maxValues: 320 }, /^The documents up to \S+ have more than 320 values\./],
    [{ maxDocumentBytes: 800 }, /^The documents up to \S+ have more than 800 bytes\./],
  ] as const) {
    await expect(openapi(path, { server, limits })).rejects.toMatchObject({ code: "LIMIT", message });
  }
});

test("documents that arrive at the same time take no more than the limit of bytes together", async () => {
  const names = Array.from({ length: 16 }, (_, index) => `p${index}`);
  const paths = Object.fromEntries(names.map((name) => [`/${name}`, { $ref: `${name}.json` }]));
  let pulled = 0;
  const body = (): ReadableStream =>
    new ReadableStream(
      {
        pull: (controller) => {
          pulled += 1000;
          controller.enqueue(new Uint8Array(1000).fill(32));
        },
      },
      { highWaterMark: 0 },
    );
  const reading = openapi(new URL("https://api.example/openapi.json"), {
    limits: { maxDocumentBytes: 20_000 },
    fetch: (url) =>
      Promise.resolve(
        String(url).endsWith("openapi.json") ? Response.json({ ...minimal, paths }) : new Response(body()),
      ),
  });
  await expect(reading).rejects.toMatchObject({ code: "LIMIT" });
  expect(pulled).toBeLessThanOrEqual(36_000);
});

test("own properties take precedence over merged ones, and of several objects the first", async () => {
  const text = `openapi: 3.1.0
info: { title: Small, version: "1" }
x-low: &low { <<: { deprecated: true }, tags: [low], summary: low }
x-high: &high { <<: *low, tags: [high] }
paths:
  /a:
    get:
      <<: [*high, { tags: [unused], description: described }]
      summary: own
`;
  let info: unknown;
  await openapi(text, { server, offer: (operation) => ((info = operation), "tool") });
  expect(info).toMatchObject({ summary: "own", tags: ["high"], isDeprecated: true });
});

test("a template in the query of a path is a parameter of the query, or the operation is left out", async () => {
  const parameters = [{ name: "b", in: "query", required: true, schema: { type: "string" } }];
  const paths = {
    "/a?kind=x&b={b}": { get: { operationId: "known", parameters } },
    "/a?kind=y&b={b}": { get: { operationId: "unknown" } },
  };
  const { session, api, source } = await open({ ...minimal, paths });
  await session.callTool({ name: "known", arguments: { b: "1" } });
  expect(api.requests.map(({ target }) => target)).toEqual(["/a?kind=x&b=1"]);
  expect(source.skipped).toEqual([
    { method: "GET", path: "/a?kind=y&b={b}", reason: expect.stringContaining('"b={b}"') as string },
  ]);
});

test("after the failure of a document, no others are read", async () => {
  const names = Array.from({ length: 100 }, (_, index) => `p${index}`);
  const paths = Object.fromEntries(names.map((name) => [`/${name}`, { $ref: `${name}.json` }]));
  let [fetched, aborted] = [0, 0];
  const reading = openapi(new URL("https://api.example/openapi.json"), {
    async fetch(url, { signal } = {}) {
      fetched++;
      if (String(url).endsWith("openapi.json")) {
        return Response.json({ ...minimal, paths });
      }
      if (String(url).endsWith("p0.json")) {
        return new Response("", { status: 404 });
      }
      setMaxListeners(20, signal ?? new EventTarget());
      return new Promise((_, reject) =>
        signal?.addEventListener("abort", () => {
          aborted++;
          reject(signal.reason as Error);
        }),
      );
    },
  });
  await expect(reading).rejects.toMatchObject({ code: "REFERENCE_FAILED", message: /404/ });
  await expect.poll(() => aborted).toBe(15);
  expect(fetched).toBe(17);
});

test("a document of a stranger cannot name private addresses", async () => {
  const api = await startApi();
  api.answer = { body: { secret: true } };
  const operation = { operationId: "read", responses: {} };
  const documentOf = (url: string): object => ({
    ...minimal,
    servers: [{ url }],
    paths: { "/a": { get: operation } },
  });
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const options: OpenApiOptions = { server: undefined, onWarning };
  await expect(openapi(documentOf(api.url), options)).rejects.toMatchObject({
    code: "NO_SERVER",
    message: expect.stringContaining("set its URL by the option server") as string,
  });
  // An address in an unusual form is refused when it is connected to.
  const { session } = await open(documentOf(api.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")), options);
  expect(await session.callTool({ name: "read" })).toMatchObject({
    isError: true,
    content: [{ text: "GET /a: the API has a private address, which its document may not name." }],
  });
  expect(api.requests).toEqual([]);
  expect(warnings.join()).toContain("set its URL by the option server");
});

test("an operation with a server of another origin is left out, unless the origin is named", async () => {
  const options = { server: undefined };
  const path = documentPath("parcels/parcels.json");
  const left = await openapi(path, options);
  expect(left.skipped).toEqual([
    {
      method: "POST",
      path: "/labels",
      reason: expect.stringContaining("https://print.parcels.example") as string,
    },
  ]);
  const named = await openapi(path, { ...options, origins: ["https://print.parcels.example"] });
  expect(named.skipped).toEqual([]);
});

test("an operation that cannot be called is left out with its reason", async () => {
  const { source, warnings } = await open({
    ...minimal,
    paths: {
      "/a": {
        trace: { responses: {} },
        get: { parameters: [{ name: "x", in: "header\n" }], responses: {} },
        post: 3,
      },
      "/b": {
        additionalOperations: { LINK: { operationId: "link", responses: {} } },
        query: { operationId: "find", responses: {} },
      },
    },
  });
  expect(source.skipped.map(({ method }) => method).toSorted()).toEqual(["GET", "POST", "TRACE"]);
  expect(source.operations.map(({ name }) => name)).toEqual(["find", "link"]);
  expect(warnings).toHaveLength(3);
});

test("operations become resources and templates by rule", async () => {
  const { session, api } = await open("bookshop.yaml", {
    offer: ({ method, name }) => (method === "GET" ? { as: "resource", title: name } : false),
    prefix: "shop_",
  });
  api.answer = { body: { id: "1", title: "Solaris" } };
  expect((await session.listTools()).tools).toEqual([]);
  const { resourceTemplates } = await session.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).toSorted()).toEqual([
    "openapi://shop/books/{bookId}",
    "openapi://shop/books/{bookId}/cover",
  ]);
  const { contents } = await session.readResource({ uri: "openapi://shop/books/a%2Fb" });
  expect(contents).toEqual([
    { uri: "openapi://shop/books/a%2Fb", mimeType: "application/json", text: '{"id":"1","title":"Solaris"}' },
  ]);
  expect(api.requests[0]?.target).toBe("/books/a%2Fb");
});

test("a resource has checked variables, the notes of its result and the errors of the API", async () => {
  const parameters = [
    { name: "id", in: "path", required: true, schema: { $ref: "#/components/schemas/Id" } },
    { name: "page", in: "query", schema: { type: "array", items: { type: "integer" } } },
  ];
  const document = {
    ...minimal,
    paths: { "/e/{id}": { get: { operationId: "e", parameters } } },
    components: { schemas: { Id: { type: "integer" } } },
  };
  const { session, api } = await open(document, {
    offer: () => "resource",
    prefix: "t",
    limits: { maxResultBytes: 256 },
  });
  await expect(session.readResource({ uri: "openapi://t/e/abc" })).rejects.toMatchObject({ code: -32602 });
  expect(api.requests).toHaveLength(0);
  api.answer = { status: 404, body: "none", headers: { "content-type": "text/plain" } };
  await expect(session.readResource({ uri: "openapi://t/e/1" })).rejects.toThrow(
    "GET /e/{id}: the API responded with 404 Not Found: none",
  );
  api.answer = { body: Array(200).fill(1), headers: { link: "</e/1?page=3&page=4>; rel=next" } };
  const { contents, _meta } = await session.readResource({ uri: "openapi://t/e/1?page=1,2" });
  expect(contents.slice(1)).toEqual([
    expect.objectContaining({ mimeType: "text/plain", text: expect.stringContaining("of 200 items") }),
    expect.objectContaining({ text: expect.stringContaining('call again with {"page":[3,4]}') }),
  ]);
  expect(_meta).toMatchObject({ "dev.tenon/nextArguments": { page: [3, 4] } });
  expect(api.requests.at(-1)?.target).toBe("/e/1?page=1&page=2");
});

test("options that do not exist or have no valid value are refused", async () => {
  await expect(openapi(minimal, { servers: server } as object)).rejects.toThrow(/servers.*server/);
  await expect(openapi(minimal, { server: "ftp://x" })).rejects.toThrow("http or https");
  await expect(openapi(minimal, { server, prefix: "a b" })).rejects.toThrow("prefix");
  await expect(
    openapi(documentPath("bookshop.yaml"), { server, offer: () => "prompt" as never }),
  ).rejects.toThrow("offer");
  await expect(openapi(documentPath("bookshop.yaml"), { variables: { region: "mars" } })).rejects.toThrow(
    "region",
  );
});
