import { expect, test } from "vitest";

import { open } from "./api.ts";

const order = { name: "placeOrder", arguments: { body: { payment: { kind: "Invoice" } } } };

test("credentials are sent as the document says, and to operations that need them", async () => {
  const { session, api } = await open("bookshop.yaml", {
    credentials: { key: "key-123456", basic: { username: "ada", password: "pass word" } },
  });
  await session.callTool({ name: "getBook", arguments: { bookId: "1" } });
  await session.callTool(order);
  const [get, post] = api.requests;
  expect(get?.headers).toMatchObject({ "x-api-key": "key-123456" });
  expect(get?.headers.authorization).toBeUndefined();
  expect(post?.headers.authorization).toBe(`Basic ${btoa("ada:pass word")}`);
  expect(post?.headers["x-api-key"]).toBeUndefined();
});

test("a function gives the caller's own token, with the scopes of the operation", async () => {
  const seen: unknown[] = [];
  const { session, api } = await open("bookshop.yaml", {
    credentials: {
      oauth: ({ context, scopes, url, method }) => {
        seen.push([context.auth, scopes, url.replace(/:\d+/, ""), method]);
        return "token-of-ada";
      },
    },
  });
  await session.callTool(order);
  expect(api.requests[0]?.headers.authorization).toBe("Bearer token-of-ada");
  expect(seen).toEqual([[undefined, ["orders:write"], "http://127.0.0.1/orders", "POST"]]);
});

test("a provider of OAuth is asked again when the API refuses its token", async () => {
  let token = 0;
  const { session, api } = await open("bookshop.yaml", {
    credentials: {
      oauth: {
        headers: () => ({ Authorization: `Bearer token-number-${token}` }),
        refused: ({ status, challenge }) => {
          expect([status, challenge]).toEqual([401, "Bearer"]);
          token++;
          return true;
        },
      },
    },
  });
  api.answer = ({ headers }) =>
    headers.authorization === "Bearer token-number-1"
      ? { body: "42", headers: { "content-type": "text/plain" } }
      : { status: 401, headers: { "www-authenticate": "Bearer" } };
  const result = await session.callTool(order);
  expect(result.content).toEqual([{ type: "text", text: "42" }]);
  expect(api.requests).toHaveLength(2);
});

test("a provider that fails after a refusal is named as the reason, and not the connection to the API", async () => {
  const { session, api, warnings } = await open("bookshop.yaml", {
    credentials: {
      oauth: {
        headers: () => ({ Authorization: "Bearer token-number-1" }),
        refused: () => Promise.reject(Object.assign(new Error("Log in again."), { code: "LOGIN_REQUIRED" })),
      },
    },
  });
  api.answer = { status: 401, headers: { "www-authenticate": "Bearer" } };
  const result = await session.callTool(order);
  expect(result.content).toEqual([
    {
      type: "text",
      text: "POST /orders: the API responded with 401, and this server failed to renew its credentials (LOGIN_REQUIRED).",
    },
  ]);
  expect(warnings).toEqual([
    "POST /orders was not repeated, because the provider of its credentials failed: Log in again.",
  ]);
});

test("a secret that the API repeats is in no result, no error and no warning", async () => {
  const { session, api, warnings } = await open("weather.yaml", { credentials: { token: "s3cret/value" } });
  api.answer = ({ target, headers }) => ({ body: [{ kind: "wind", target, headers, own: "s3cret/value" }] });
  const good = await session.callTool({ name: "readings", arguments: { station: "OSL" } });
  api.answer = ({ target }) => ({ status: 418, body: { target, own: "s3cret/value" } });
  const bad = await session.callTool({ name: "readings", arguments: { station: "OSL" } });
  expect(api.requests[0]?.target).toBe("/stations/OSL/readings?token=s3cret%2Fvalue");
  expect(good.isError).toBeUndefined();
  expect(bad.isError).toBe(true);
  expect(JSON.stringify([good, bad, warnings])).toContain("[redacted]");
  expect(JSON.stringify([good, bad, warnings])).not.toMatch(/s3cret/);
});

test("a secret is found in every spelling of JSON, and its removal leaves valid JSON", async () => {
  const json = { "content-type": "application/json" };
  const { session, api } = await open("bookshop.yaml", { credentials: { key: "abcd/efgh+123" } });
  const get = (): Promise<unknown> => session.callTool({ name: "getBook", arguments: { bookId: "1" } });
  const spelled = String.raw`{"id":"abcd\/efgh+123","title":"\u0061bcd\u002Fefgh+123","abcd\/efgh+123":1}`;
  const results: unknown[] = [];
  const answers = [
    { body: spelled },
    { body: `${spelled}x` },
    { body: spelled, status: 400 },
    { body: `${"\n".repeat(3990)}abcd/efgh+123`, status: 400 },
    { status: 302, headers: { location: "/abcd/efgh+123" } },
  ];
  for (const answer of answers) {
    api.answer = { headers: json, ...answer };
    results.push(await get());
  }
  expect(results[0]).toMatchObject({
    structuredContent: { id: "[redacted]", title: "[redacted]", "[redacted]": 1 },
  });
  expect(JSON.stringify(results)).not.toMatch(/abcd|efgh/);

  const digits = await open("bookshop.yaml", { credentials: { key: "1234567" } });
  digits.api.answer = { headers: json, body: '{"id":1234567,"title":"t","pages":12345678}' };
  const result = await digits.session.callTool({ name: "getBook", arguments: { bookId: "1" } });
  expect(result.structuredContent).toEqual({ id: "[redacted]", title: "t", pages: 12345678 });
});

test("a key in a cookie is removed as it was sent", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/": { get: { operationId: "get", security: [{ key: [] }] } } },
    components: { securitySchemes: { key: { type: "apiKey", in: "cookie", name: "key" } } },
  };
  const { session, api } = await open(document, { credentials: { key: "k/e/y/1/2" } });
  api.answer = ({ headers }) => ({ body: { cookie: headers.cookie } });
  const result = await session.callTool({ name: "get" });
  expect(result.structuredContent).toEqual({ cookie: "key=[redacted]" });
});

test("a function that does not settle ends with the call, and does not keep its place", async () => {
  const never = (): Promise<never> => new Promise<never>(() => {});
  const signals: AbortSignal[] = [];
  const credentials = {
    key: ({ signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      return never();
    },
  };
  for (const options of [{ credentials }, { headers: never }, { fetch: never }]) {
    const limits = { totalTimeoutMs: 20, maxInFlight: 1 };
    const { session } = await open("bookshop.yaml", { ...options, limits });
    for (const bookId of ["1", "2"]) {
      const result = await session.callTool({ name: "getBook", arguments: { bookId } });
      expect(JSON.stringify(result.content)).toContain("did not respond within 20 ms");
    }
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test("a refusal says which credentials are missing", async () => {
  const { session, api } = await open("bookshop.yaml");
  api.answer = { status: 401, body: { message: "no" } };
  const result = await session.callTool(order);
  expect(result).toMatchObject({
    isError: true,
    content: [
      {
        text: 'POST /orders: the API responded with 401 Unauthorized: {"message":"no"} This server lacks credentials for the operation (oauth, basic).',
      },
    ],
  });
});

test("a credential for a scheme that does not exist, and one with a line end, are refused", async () => {
  await expect(open("bookshop.yaml", { credentials: { keys: "x" } })).rejects.toThrow(
    /"keys".*key, queryKey/,
  );
  const errors: unknown[] = [];
  const { session, warnings } = await open(
    "bookshop.yaml",
    { credentials: { key: "abc\n" } },
    { server: { onError: (error) => void errors.push(error) } },
  );
  const result = await session.callTool({ name: "getBook", arguments: { bookId: "1" } });
  expect(result.isError).toBe(true);
  expect(JSON.stringify([result, warnings])).not.toContain("abc");
});
