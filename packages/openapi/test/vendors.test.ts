import { openapi } from "@tenon/openapi";
import { expect, test } from "vitest";

import { open } from "./api.ts";

const described = (paths: object, more: object = {}): object => ({
  openapi: "3.0.3",
  info: { title: "t", version: "1" },
  paths,
  ...more,
});
const textOf = ({ content }: { readonly content: readonly object[] }): string =>
  content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");
const query = (name: string, type = "string"): object => ({ name, in: "query", schema: { type } });
const json = { "application/json": { schema: { type: "object", properties: { id: { type: "string" } } } } };

test("a body of any media type is JSON if its schema is of an object, as in Kubernetes", async () => {
  const schema = { $ref: "#/components/schemas/Namespace" };
  const { session, api } = await open(
    described(
      {
        "/objects": { post: { operationId: "object", requestBody: { content: { "*/*": { schema } } } } },
        "/bytes": { post: { operationId: "bytes", requestBody: { content: { "*/*": {} } } } },
      },
      {
        components: { schemas: { Namespace: { type: "object", properties: { kind: { type: "string" } } } } },
      },
    ),
  );
  await session.callTool({ name: "object", arguments: { body: { kind: "Namespace" } } });
  await session.callTool({ name: "bytes", arguments: { body: { text: "a" } } });
  expect(api.requests.map(({ headers, body }) => [headers["content-type"], body.toString()])).toEqual([
    ["application/json", '{"kind":"Namespace"}'],
    ["application/octet-stream", "a"],
  ]);
});

test("a body of any media type does not replace one whose type has a name", async () => {
  const media = { schema: { type: "object", properties: { a: { type: "string" } } } };
  const content = { "*/*": media, "application/x-www-form-urlencoded": media };
  const { session, api } = await open(
    described({ "/": { post: { operationId: "p", requestBody: { content } } } }),
  );
  await session.callTool({ name: "p", arguments: { body: { a: "1" } } });
  expect(api.requests[0]?.body.toString()).toBe("a=1");
});

test("an object is not sent as a list of changes, if the API accepts another kind of JSON", async () => {
  const media = { schema: { type: "object" } };
  const content = { "application/json-patch+json": media, "application/merge-patch+json": media };
  const { session, api } = await open(
    described({ "/": { patch: { operationId: "p", requestBody: { content } } } }),
  );
  await session.callTool({ name: "p", arguments: { body: { a: 1 } } });
  expect(api.requests[0]?.headers["content-type"]).toBe("application/merge-patch+json");
});

test("a GET has no body: without a required one it is called, and otherwise left out", async () => {
  const { session, api, source } = await open(
    described({
      "/_search": {
        get: { operationId: "search", parameters: [query("q")], requestBody: { content: json } },
      },
      "/_count": { get: { operationId: "count", requestBody: { required: true, content: json } } },
    }),
  );
  await session.callTool({ name: "search", arguments: { q: "a" } });
  expect(api.requests[0]?.target).toBe("/_search?q=a");
  const { tools } = await session.listTools();
  expect(tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))).toEqual([["q"]]);
  expect(source.skipped).toEqual([
    { method: "GET", path: "/_count", reason: expect.stringContaining("body") as string },
  ]);
});

test("parameters whose names differ in case are two, as in S3", async () => {
  const { session, api } = await open(
    described({ "/": { get: { operationId: "list", parameters: [query("marker"), query("Marker")] } } }),
  );
  await session.callTool({ name: "list", arguments: { marker: "a", Marker: "b" } });
  expect(api.requests[0]?.target).toBe("/?marker=a&Marker=b");
});

test("a base path without its slash stays a path", async () => {
  const source = await openapi({
    swagger: "2.0",
    info: { title: "t", version: "1" },
    host: "api.example.co",
    basePath: "m/v1",
    paths: {},
  });
  expect(source.server).toBe("https://api.example.co/m/v1");
});

test("an operation behind a reference is read, and one that leads nowhere is reported", async () => {
  const { source, warnings } = await open(
    described(
      {
        "/a": { get: { $ref: "#/x-operations/a" }, post: { $ref: "./a.yaml" } },
        "/b": { $ref: "./b.yaml" },
      },
      { "x-operations": { a: { operationId: "readA" } } },
    ),
  );
  expect(source.operations.map(({ name }) => name)).toEqual(["readA"]);
  expect(source.skipped.map(({ path }) => path)).toEqual(["/a", "/b"]);
  expect(warnings).toHaveLength(2);
});

test("a link to the next page may name the resource in another way, as in GitHub", async () => {
  const { session, api } = await open(
    described({
      "/repos/{owner}/issues": { get: { operationId: "issues", parameters: [query("page", "integer")] } },
    }),
  );
  const next = async (target: string): Promise<unknown> => {
    api.answer = { body: [], headers: { link: `<${target}>; rel="next"` } };
    return (await session.callTool({ name: "issues", arguments: { owner: "o" } }))._meta?.[
      "dev.tenon/nextArguments"
    ];
  };
  expect(await next("/repositories/1/issues?page=2")).toEqual({ page: 2 });
  expect(await next("/repositories/1/issues/2?page=2")).toBeUndefined();
  expect(await next(`http://localhost:1/repos/o/issues?page=2`)).toBeUndefined();
});

test("a documented response without content is a result, also when strict", async () => {
  const { session } = await open(
    described({
      "/": {
        get: {
          operationId: "get",
          responses: { 200: { description: "", content: json }, 204: { description: "" } },
        },
        head: { operationId: "head", responses: { 200: { description: "", content: json } } },
      },
    }),
    { strictness: "strict" },
  );
  const results = [await session.callTool({ name: "get" }), await session.callTool({ name: "head" })];
  expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined]);
  expect(textOf(results[0] as (typeof results)[0])).toContain("204 and no content");
});

test("a credential that cannot be had is not a failure of the API", async () => {
  const { session, api } = await open(
    described(
      { "/": { get: { operationId: "get", security: [{ key: [] }] } } },
      { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } } } },
    ),
    {
      credentials: {
        key() {
          throw Object.assign(new Error("the vault is sealed"), { code: "NEEDS_LOGIN" });
        },
      },
    },
  );
  const result = await session.callTool({ name: "get" });
  expect(api.requests).toEqual([]);
  expect(textOf(result)).not.toContain("could not be reached");
  expect(textOf(result)).toContain("(NEEDS_LOGIN)");
});

test("an error says when the API may be asked again", async () => {
  const { session, api } = await open(described({ "/": { post: { operationId: "post" } } }));
  api.answer = { status: 429, headers: { "retry-after": "90" } };
  expect(textOf(await session.callTool({ name: "post" }))).toContain("90");
});

test("a response of another implementation of fetch is read, such as one of the package undici", async () => {
  const { session } = await open(described({ "/": { get: { operationId: "get" } } }), {
    async fetch() {
      const { status, statusText, headers, body } = Response.json({ a: 1 });
      return { status, statusText, headers, body } as Response;
    },
  });
  expect((await session.callTool({ name: "get" })).structuredContent).toEqual({ a: 1 });
});

test("a class that inherits by allOf accepts the properties of all its parts, as NSwag means it", async () => {
  const closed = (properties: object): object => ({
    type: "object",
    additionalProperties: false,
    properties,
  });
  const text = { type: "string" };
  const schemas = {
    Base: closed({ id: text }),
    Middle: { allOf: [{ $ref: "#/components/schemas/Base" }, closed({ name: text })] },
    Leaf: {
      ...closed({ color: text }),
      allOf: [{ $ref: "#/components/schemas/Middle" }],
    },
    Wrapper: { allOf: [{ $ref: "#/components/schemas/Alone" }], description: "Nothing more" },
    Alone: closed({ id: text }),
  };
  const post = (name: string): object => ({
    post: {
      operationId: name,
      requestBody: { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
    },
  });
  const { session, api } = await open(
    described({ "/leaf": post("Leaf"), "/wrapper": post("Wrapper") }, { components: { schemas } }),
  );
  await session.callTool({ name: "Leaf", arguments: { body: { id: "a", name: "b", color: "c" } } });
  expect(api.requests).toHaveLength(1);
  const refused = await session.callTool({ name: "Wrapper", arguments: { body: { name: "b" } } });
  expect([refused.isError, api.requests.length]).toEqual([true, 1]);
});

test("a class and a class that inherits from it stay alternatives of a oneOf", async () => {
  const closed = (properties: object): object => ({
    type: "object",
    additionalProperties: false,
    properties,
  });
  const text = { type: "string" };
  const base = { $ref: "#/components/schemas/Base" };
  const schemas = { Base: closed({ id: text }), Leaf: { allOf: [base, closed({ color: text })] } };
  const schema = { oneOf: [base, { $ref: "#/components/schemas/Leaf" }] };
  const { session, api } = await open(
    described(
      {
        "/": {
          post: { operationId: "post", requestBody: { content: { "application/json": { schema } } } },
        },
      },
      { components: { schemas } },
    ),
  );
  await session.callTool({ name: "post", arguments: { body: { id: "a" } } });
  await session.callTool({ name: "post", arguments: { body: { id: "a", color: "b" } } });
  expect(api.requests.map(({ body }) => body.toString())).toEqual(['{"id":"a"}', '{"id":"a","color":"b"}']);
});

test("a part of a body does not require what another part declares read-only", async () => {
  const schemas = {
    Entity: { type: "object", properties: { id: { type: "string", readOnly: true } } },
    Pet: {
      allOf: [
        { $ref: "#/components/schemas/Entity" },
        {
          type: "object",
          required: ["id", "name", "owner"],
          properties: {
            name: { type: "string" },
            // A value of its own, whose `id` is sent.
            owner: { type: "object", required: ["id"] },
          },
        },
      ],
    },
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } };
  const { session, api } = await open(
    described(
      { "/": { post: { operationId: "add", requestBody: { content } } } },
      { components: { schemas } },
    ),
  );
  const add = (body: object) => session.callTool({ name: "add", arguments: { body } });
  expect((await add({ name: "a", owner: { id: "b" } })).isError).toBeUndefined();
  expect(textOf(await add({ name: "a", owner: {} }))).toContain("body.owner.id: missing");
  expect(textOf(await add({ owner: { id: "b" } }))).toContain("body.name: missing");
  expect(api.requests).toHaveLength(1);
});

test("a port that is a number or a name is both, as Kubernetes means it", async () => {
  const schema = {
    type: "object",
    properties: {
      targetPort: { type: "string", format: "int-or-string" },
      other: { type: "string", format: "int-or-string", nullable: true },
    },
  };
  const { session, api } = await open(
    described({
      "/": { post: { operationId: "add", requestBody: { content: { "application/json": { schema } } } } },
    }),
  );
  for (const targetPort of [8080, "http"]) {
    await session.callTool({ name: "add", arguments: { body: { targetPort, other: null } } });
  }
  expect(api.requests.map(({ body }) => body.toString())).toEqual([
    '{"targetPort":8080,"other":null}',
    '{"targetPort":"http","other":null}',
  ]);
  const refused = await session.callTool({ name: "add", arguments: { body: { targetPort: 1.5 } } });
  expect(refused.isError).toBe(true);
});

test("JSON under another media type is a result, as from PHP, and is refused when strict", async () => {
  const document = described({
    "/": { get: { operationId: "get", responses: { 200: { description: "", content: json } } } },
  });
  for (const strictness of ["lenient", "strict"] as const) {
    const { session, api, warnings } = await open(document, { strictness });
    api.answer = { body: '{"id":"1"}', headers: { "content-type": "text/html; charset=utf-8" } };
    const { isError = false, structuredContent } = await session.callTool({ name: "get" });
    expect([isError, structuredContent, warnings.length]).toEqual(
      strictness === "strict" ? [true, undefined, 0] : [false, { id: "1" }, 1],
    );
  }
});
