import { RpcError } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { codeOf, common, echo, listen, modern, peerServer } from "./setup.ts";

test("a request is answered in JSON", async () => {
  await using listening = await listen();
  const response = await fetch(listening.url, modern("tools/list", {}, "abc"));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({ jsonrpc: "2.0", id: "abc", result: { method: "tools/list" } });
});

const withHeaders = (changes: Record<string, string | undefined>): RequestInit => {
  const request = modern("tools/call", { name: "add" });
  const headers = Object.entries({ ...request.headers, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { ...request, headers };
};

test.each([
  ["R-312: a missing version", { "mcp-protocol-version": undefined }],
  ["R-311: another version than in the body", { "mcp-protocol-version": legacyRevision }],
  ["R-313: a missing method", { "mcp-method": undefined }],
  ["R-315: a method in other letters", { "mcp-method": "Tools/Call" }],
  ["R-314: another name than in the body", { "mcp-name": "subtract" }],
  ["R-314: a missing name", { "mcp-name": undefined }],
  ["R-324: a name that is no base64", { "mcp-name": "=?base64?YWRk!?=" }],
])("%s is refused with -32020", async (_, changes) => {
  await using listening = await listen();
  const response = await fetch(listening.url, withHeaders(changes));
  expect(response.status).toBe(400);
  expect(await codeOf(response)).toBe(-32020);
});

test("R-324: a name that is no base64 is refused where there is none to repeat, too", async () => {
  await using listening = await listen();
  const { method, headers, body } = modern("tools/call");
  const response = await fetch(listening.url, {
    method,
    headers: { ...headers, "mcp-name": "=?base64?YWRk!?=" },
    body,
  });
  expect(await codeOf(response)).toBe(-32020);
});

test.each([
  ["42", 200],
  ["42.0", 200],
  ["0x2a", 400],
  ["4.2e1", 400],
  ["+42", 400],
  ["042", 400],
  ["=?base64?IDQy?=", 400],
])("R-325, R-326: an Mcp-Param header of %s for the integer 42 gives %d", async (value, status) => {
  const schema = { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } };
  const server = { ...peerServer(echo), toolInputSchema: () => schema };
  await using listening = await listen(echo, { getServer: () => server });
  const { method, headers, body } = modern("tools/call", { name: "add", arguments: { count: 42 } });
  const response = await fetch(listening.url, {
    method,
    headers: { ...headers, "mcp-param-count": value },
    body,
  });
  expect(response.status).toBe(status);
});

test("R-324: a name in base64 is taken for what it stands for", async () => {
  await using listening = await listen();
  const response = await fetch(listening.url, withHeaders({ "mcp-name": `=?base64?${btoa("add")}?=` }));
  expect(response.status).toBe(200);
});

test("R-139: a request without the fields of the envelope is refused with -32602", async () => {
  await using listening = await listen();
  const { headers } = modern("tools/list");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const response = await fetch(listening.url, { method: "POST", headers, body });
  expect(response.status).toBe(400);
  expect(await codeOf(response)).toBe(-32602);
});

test.each([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
  [-32602, 200],
  [-32603, 200],
])("R-296, R-297: the error %i has the status %i", async (code, status) => {
  await using listening = await listen(() => {
    throw new RpcError(code, "no");
  });
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.status).toBe(status);
  expect(await codeOf(response)).toBe(code);
});

test("T-58: an error after the stream has begun is its last event", async () => {
  await using listening = await listen(async (scope) => {
    await scope.notify("notifications/progress", { progressToken: 1, progress: 1 });
    throw new RpcError(-32601, "no");
  });
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.status).toBe(200);
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  expect((await response.text()).trimEnd().split("\n\n")).toEqual([
    expect.stringContaining("notifications/progress"),
    expect.stringContaining("-32601"),
  ]);
});

const schema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    size: { type: "integer", "x-mcp-header": "Size" },
    deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Flag" } } },
  },
};

test.each([
  [
    "equal",
    { region: "eu", size: 42, deep: { flag: true } },
    { Region: "eu", Size: "42.0", Flag: "true" },
    200,
  ],
  ["encoded", { region: "zürich" }, { Region: `=?base64?esO8cmljaA==?=` }, 200],
  ["empty", { region: "" }, { Region: "" }, 200],
  ["absent on both sides", { size: null }, {}, 200],
  ["missing", { region: "eu" }, {}, 400],
  ["different", { region: "eu" }, { Region: "us" }, 400],
  ["without an argument", {}, { Region: "us" }, 400],
  ["badly encoded", { region: "Hello" }, { Region: "=?base64?SGVsbG8?=" }, 400],
])("R-325, R-326: a header that is %s", async (_, args, headers, status) => {
  const server = { ...peerServer(echo), toolInputSchema: () => schema };
  await using listening = await listen(echo, { getServer: () => server });
  const request = modern("tools/call", { name: "add", arguments: args });
  for (const [name, value] of Object.entries(headers)) {
    request.headers[`mcp-param-${name}`] = value;
  }
  const response = await fetch(listening.url, request);
  expect(response.status).toBe(status);
  expect(await codeOf(response)).toBe(status === 200 ? undefined : -32020);
});

test("R-294: a client that goes away cancels its request, and no other", async () => {
  const aborted: unknown[] = [];
  let started = (): void => {};
  const both = new Promise<void>((resolve) => {
    let count = 0;
    started = () => {
      count++;
      if (count === 2) {
        resolve();
      }
    };
  });
  let release: (value: unknown) => void = () => {};
  await using listening = await listen((scope) => {
    scope.signal.addEventListener("abort", () => {
      aborted.push((scope.params as { name: string }).name);
      release("over");
    });
    started();
    return new Promise((resolve) => {
      release = resolve;
    });
  });
  const controller = new AbortController();
  const leaving = fetch(listening.url, { ...modern("tools/call", { name: "a" }), signal: controller.signal });
  const staying = fetch(listening.url, modern("tools/call", { name: "b" }));
  await both;
  controller.abort();
  await expect(leaving).rejects.toThrow();
  expect(await (await staying).json()).toMatchObject({ result: "over" });
  expect(aborted).toEqual(["a"]);
});

test("T-34: clients that choose the same id get their own answers", async () => {
  await using listening = await listen(async (scope) => {
    await Promise.resolve();
    return (scope.params as { name: string }).name;
  });
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const response = await fetch(listening.url, modern("tools/call", { name: `tool-${index}` }, 0));
      return (await response.json()) as { id: number; result: string };
    }),
  );
  expect(answers.map(({ id, result }) => [id, result])).toEqual(
    answers.map((_, index) => [0, `tool-${index}`]),
  );
});

test("R-534: a subscription names its request by the id that its client gave", async () => {
  await using listening = await listen(async (scope) => {
    const _meta = { "io.modelcontextprotocol/subscriptionId": scope.id };
    await scope.notify("notifications/subscriptions/acknowledged", { _meta });
    return { _meta };
  });
  const response = await fetch(listening.url, modern("subscriptions/listen", {}, "mine"));
  const text = await response.text();
  expect(text.match(/"io.modelcontextprotocol\/subscriptionId":"mine"/g)).toHaveLength(2);
});

test("R-298: GET and DELETE are refused where there are no sessions", async () => {
  await using listening = await listen(echo, { sessions: false });
  for (const method of ["GET", "DELETE"]) {
    const response = await fetch(listening.url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  }
});

test("requests beyond maxInFlight are refused with 503", async () => {
  let release: (value: unknown) => void = () => {};
  let entered = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using listening = await listen(
    () => {
      entered();
      return new Promise((resolve) => {
        release = resolve;
      });
    },
    { limits: { maxInFlight: 1 } },
  );
  const first = fetch(listening.url, modern("tools/list"));
  await waiting;
  const second = await fetch(listening.url, modern("tools/list"));
  expect(second.status).toBe(503);
  expect(await second.text()).toContain("maxInFlight");
  release("done");
  expect((await first).status).toBe(200);
});

test("the fetch path answers the same as the node path", async () => {
  await using listening = await listen(async (scope) => {
    await scope.notify("notifications/progress", { progressToken: 1, progress: 1 });
    return "done";
  });
  const { url, handler } = listening;
  const direct = await handler.fetch(new Request(url, modern("tools/list")));
  const socket = await fetch(url, modern("tools/list"));
  expect(await direct.text()).toBe(await socket.text());
  expect(direct.headers.get("content-type")).toBe(socket.headers.get("content-type"));
});

test("close answers what runs, then refuses", async () => {
  await using listening = await listen(async () => {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    return "done";
  });
  const { url, handler } = listening;
  const answers = Array.from({ length: 10 }, () => handler.fetch(new Request(url, modern("tools/list"))));
  await handler.close({ drainMs: 5000 });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect((await handler.fetch(new Request(url, modern("tools/list")))).status).toBe(503);
});

test("R-283: a response needs a session, a batch does not", async () => {
  await using listening = await listen();
  const send = (body: unknown): Promise<Response> =>
    fetch(listening.url, { method: "POST", headers: common, body: JSON.stringify(body) });
  expect((await send([{ jsonrpc: "2.0", id: 1, method: "ping" }])).status).toBe(200);
  expect((await send({ jsonrpc: "2.0", id: 1, result: {} })).status).toBe(400);
});

test("while calls of one client hold 32 MiB of bodies, its next large one gets 503, and small ones are served", async () => {
  const gates: (() => void)[] = [];
  await using listening = await listen(({ method }) =>
    method === "tools/call" ? new Promise<void>((resolve) => gates.push(resolve)) : {},
  );
  const large = { name: "x", arguments: { text: "x".repeat(3 * 1024 * 1024) } };
  const calls = Array.from({ length: 10 }, () => fetch(listening.url, modern("tools/call", large)));
  while (gates.length < 10) {
    await new Promise(setImmediate);
  }
  const refused = await fetch(listening.url, modern("tools/call", large));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ id: null, error: { code: -32603 } });
  expect((await fetch(listening.url, modern("tools/list"))).status).toBe(200);
  for (const release of gates) {
    release();
  }
  for (const call of calls) {
    expect((await call).status).toBe(200);
  }
});

test.each([
  ["t1", 200],
  ["t2", 400],
  [undefined, 400],
])("R-313: Mcp-Name %j for the ticket t1 of an extension's request gives %d", async (name, status) => {
  const headerParam = (method: string): string | undefined =>
    method === "com.example/queue/place" ? "ticket" : undefined;
  const server = { ...peerServer(echo), headerParam };
  await using listening = await listen(echo, { getServer: () => server });
  const { method, headers, body } = modern("com.example/queue/place", { ticket: "t1" });
  const response = await fetch(listening.url, {
    method,
    headers: { ...headers, ...(name === undefined ? {} : { "mcp-name": name }) },
    body,
  });
  expect(response.status).toBe(status);
});
