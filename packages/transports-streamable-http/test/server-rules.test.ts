import { RpcError } from "@tenon/jsonrpc2";
import { createMemoryEventStore, createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, listen, modern, open, peerServer, post } from "./setup.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const events = { accept: "text/event-stream" };

/** The messages of an event stream that has ended. */
function messagesOf(text: string): { id?: unknown; method?: string; result?: unknown }[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as { id?: unknown; method?: string },
  );
}

/** Reads a stream until it has brought something that fits. */
async function readUntil(response: Response, pattern: RegExp): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!pattern.test(text)) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) {
      throw new Error(`The stream ended after ${JSON.stringify(text)}`);
    }
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return text;
}

test("S-020, S-035: a handler is made of getServer, and serves and closes like that of HTTP+SSE", async () => {
  const handler = createStreamableHandler({ getServer: () => peerServer(echo) });
  const members = ["close", "fetch", "node", "restricted", "revoke", "serve"];
  expect(Object.keys(handler).toSorted()).toEqual(members);
  await handler.close();
  await handler.close();
});

test("S-021, S-022: getServer chooses by the request, once per session, and may return one server or many", async () => {
  const asked: string[] = [];
  const shared = peerServer(() => "shared");
  await using listening = await listen(echo, {
    getServer: ({ headers, url, method }) => {
      asked.push(`${method} ${url} ${headers.get("X-Tenant") ?? ""}`);
      const tenant = headers.get("x-tenant");
      return tenant === undefined ? undefined : tenant === "own" ? peerServer(() => "own") : shared;
    },
  });
  const answerTo = async (headers: Record<string, string>): Promise<unknown> =>
    ((await (await post(listening.url, ping, headers)).json()) as { result: unknown }).result;
  const [first, second, third] = await Promise.all(
    ["own", "a", "b"].map((tenant) => open(listening.url, { "x-tenant": tenant })),
  );
  expect(asked).toHaveLength(3);
  expect(await answerTo(first ?? {})).toBe("own");
  expect(await answerTo(second ?? {})).toBe("shared");
  expect(await answerTo(third ?? {})).toBe("shared");
  expect(asked).toHaveLength(3);
  expect(asked[0]).toBe("POST /mcp own");
  expect((await post(listening.url, ping)).status).toBe(404);
});

test("a request that is polled gets JSON, even if it is slow and its session has an event store (R-370)", async () => {
  const slowly = async ({ method }: { readonly method: string }): Promise<object> => {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
    }
    return { method };
  };
  await using listening = await listen(slowly, { sessions: { eventStore: createMemoryEventStore() } });
  const session = await open(listening.url);
  const typeOf = async (method: string): Promise<string | null> => {
    const response = await post(listening.url, { ...ping, method }, session);
    await response.text();
    return response.headers.get("content-type");
  };
  expect(await typeOf("tools/call")).toContain("text/event-stream");
  expect(await typeOf("tasks/get")).toContain("application/json");
});

test("S-042: without a session and a handshake a POST is answered, where there are sessions and where there are none", async () => {
  for (const sessions of [{}, false] as const) {
    await using listening = await listen(echo, { sessions });
    expect(await (await post(listening.url, ping)).json()).toMatchObject({ result: { method: "ping" } });
  }
});

test("S-043: a handler takes one object of options, and only getServer is needed", () => {
  expect(createStreamableHandler.length).toBe(1);
  expect(() => createStreamableHandler({ getServer: () => undefined })).not.toThrow();
});

test("R-280: a modern request never gets a session, not even if it names one", async () => {
  await using listening = await listen();
  const { headers, body } = modern("tools/list");
  const response = await fetch(listening.url, {
    method: "POST",
    headers: { ...headers, "mcp-session-id": "made-up", "last-event-id": "1-1" },
    body,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("mcp-session-id")).toBeNull();
});

test.each([false, undefined] as const)(
  "R-280: a modern client gets no stream by GET, and no session by DELETE (sessions: %s)",
  async (sessions) => {
    await using listening = await listen(echo, sessions === undefined ? {} : { sessions });
    const { headers } = modern("tools/list");
    for (const method of ["GET", "DELETE", "PUT"]) {
      for (const more of [{}, { "last-event-id": "1-1" }]) {
        const response = await fetch(listening.url, { method, headers: { ...headers, ...events, ...more } });
        expect(response.status, method).toBeGreaterThanOrEqual(400);
        expect(response.headers.get("content-type"), method).not.toContain("text/event-stream");
        expect(response.headers.get("mcp-session-id"), method).toBeNull();
        await response.text();
      }
    }
    const got = await fetch(listening.url, { headers: { ...headers, ...events } });
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
  },
);

test.each(["modern", "legacy"])(
  "R-285, R-347: what needs no answer is accepted with 202 and an empty body (%s era)",
  async (era) => {
    await using listening = await listen();
    const headers = era === "legacy" ? await open(listening.url) : modern("notifications/x").headers;
    const { _meta } = (JSON.parse(modern("x").body) as { params: { _meta: object } }).params;
    const params = era === "legacy" ? {} : { _meta };
    const notified = await post(
      listening.url,
      { jsonrpc: "2.0", method: "notifications/x", params },
      headers,
    );
    expect([notified.status, await notified.text()]).toEqual([202, ""]);
    if (era === "legacy") {
      const answered = await post(listening.url, { jsonrpc: "2.0", id: 7, result: {} }, headers);
      expect([answered.status, await answered.text()]).toEqual([202, ""]);
    }
  },
);

test("R-285: what is not accepted has an error as its status and an error without an id as its body", async () => {
  await using listening = await listen();
  const refused = await post(
    listening.url,
    { jsonrpc: "2.0", method: "notifications/x" },
    { "mcp-session-id": "gone" },
  );
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({ id: null, error: { code: -32600 } });
});

test("R-286, R-290, R-291, R-348, R-352: an answer is one JSON object, or a stream of what belongs to it that ends with it", async () => {
  await using listening = await listen(async (scope) => {
    if (scope.method === "tools/call") {
      await scope.notify("notifications/message", { for: scope.id });
    }
    return "done";
  });
  const legacy = await open(listening.url);
  const plain = await fetch(listening.url, modern("tools/list"));
  expect(plain.headers.get("content-type")).toBe("application/json");
  const requests = [
    fetch(listening.url, modern("tools/call", { name: "x" }, 5)),
    post(listening.url, { jsonrpc: "2.0", id: 5, method: "tools/call" }, legacy),
  ];
  for (const response of await Promise.all(requests)) {
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const messages = messagesOf(await response.text());
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(["notifications/message", 5]);
    expect(messages.some((message) => "method" in message && "id" in message)).toBe(false);
  }
});

test("R-292: event streams ask proxies not to buffer them", async () => {
  await using listening = await listen(async (scope) => {
    await scope.notify("notifications/message", {});
    return "done";
  });
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  expect(response.headers.get("cache-control")).toContain("no-cache");
  await response.text();
});

test("R-293: a stream that is silent for long gets comments, and an answer that takes long becomes a stream", async () => {
  let finish: (value: unknown) => void = () => {};
  await using listening = await listen(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
    { limits: { heartbeatMs: 5 } },
  );
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body?.getReader();
  let text = "";
  while (!/^:.*\n\n/m.test(text)) {
    text += new TextDecoder().decode((await reader?.read())?.value);
  }
  finish("done");
  for (let done = false; !done;) {
    const next = await reader?.read();
    done = next?.done ?? true;
    text += new TextDecoder().decode(next?.value);
  }
  expect(messagesOf(text)).toMatchObject([{ result: "done" }]);
});

test("R-300: an error has its own status as long as nothing was sent before it", async () => {
  await using listening = await listen(async (scope) => {
    if (scope.method === "tools/call") {
      await scope.notify("notifications/message", {});
    }
    throw new RpcError(-32021, "missing");
  });
  const early = await fetch(listening.url, modern("tools/list"));
  expect([early.status, early.headers.get("content-type")]).toEqual([400, "application/json"]);
  const late = await fetch(listening.url, modern("tools/call", { name: "x" }));
  expect([late.status, late.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  expect(await late.text()).toContain("-32021");
});

test("R-330: values of headers are compared, and never run, followed or repeated", async () => {
  await using listening = await listen();
  const hostile = "$(reboot) <script> ../../etc/passwd";
  const request = modern("tools/call", { name: "add" });
  request.headers["mcp-name"] = hostile;
  const response = await fetch(listening.url, request);
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain("reboot");
});

test("R-345, R-354: one endpoint takes the POST and the GET of a session, and answers the GET with a stream or 405", async () => {
  await using listening = await listen();
  const headers = await open(listening.url);
  const stream = await fetch(listening.url, { headers: { ...headers, ...events } });
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  await stream.body?.cancel();
  expect((await fetch(listening.url, { headers: events })).status).toBe(405);
});

test("R-349: the stream of an answer stays open until it has come, however often something is said before", async () => {
  await using listening = await listen(async (scope) => {
    for (let step = 0; step < 50; step++) {
      await scope.notify("notifications/message", { step });
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    return "done";
  });
  for (const version of ["2025-03-26", "2025-06-18"]) {
    const headers = await open(listening.url, {}, version);
    const messages = messagesOf(await (await post(listening.url, ping, headers)).text());
    expect(messages).toHaveLength(51);
    expect(messages.at(-1)).toMatchObject({ id: 1, result: "done" });
  }
});

test("R-355, R-357: a message goes to one stream, either its request's or the session's own", async () => {
  const server = peerServer(async (scope) => {
    await scope.notify("notifications/message", { to: "request" });
    return "done";
  });
  const sessions: Awaited<ReturnType<typeof server.connect>>[] = [];
  await using listening = await listen(echo, {
    getServer: () => ({
      ...server,
      connect: async (transport) => {
        const session = await server.connect(transport);
        sessions.push(session);
        return session;
      },
    }),
  });
  const headers = await open(listening.url);
  const own = await fetch(listening.url, { headers: { ...headers, ...events } });
  const [first, second] = await Promise.all(
    [1, 2].map(async (id) => messagesOf(await (await post(listening.url, { ...ping, id }, headers)).text())),
  );
  await sessions[0]?.notify("notifications/message", { to: "session" });
  const heard = messagesOf(await readUntil(own, /"session"/));
  expect(heard).toEqual([{ jsonrpc: "2.0", method: "notifications/message", params: { to: "session" } }]);
  for (const messages of [first, second]) {
    expect(messages?.map(({ method, result }) => method ?? result)).toEqual([
      "notifications/message",
      "done",
    ]);
  }
});

test("R-359: the ids of events are unique in a session and name their stream", async () => {
  await using listening = await listen(
    async (scope) => {
      await scope.notify("notifications/message", {});
      return "done";
    },
    { sessions: { eventStore: createMemoryEventStore() } },
  );
  const headers = await open(listening.url);
  const texts = await Promise.all(
    [1, 2, 3].map(async (id) => (await post(listening.url, { ...ping, id }, headers)).text()),
  );
  const ids = texts.map((text) => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id = ""]) => id));
  const all = ids.flat();
  expect(all.length).toBeGreaterThanOrEqual(9);
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(ids.map((own) => new Set(own.map((id) => id.split("-")[0])).size))).toEqual(new Set([1]));
});

test("R-396, R-397: in 2025-03-26 an array of notifications and responses is accepted with 202, one with requests is answered", async () => {
  await using listening = await listen();
  const headers = await open(listening.url, {}, "2025-03-26");
  const quiet = await post(
    listening.url,
    [
      { jsonrpc: "2.0", method: "notifications/x" },
      { jsonrpc: "2.0", method: "notifications/y" },
    ],
    headers,
  );
  expect([quiet.status, await quiet.text()]).toEqual([202, ""]);
  const answers = await post(
    listening.url,
    [
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, result: {} },
    ],
    headers,
  );
  expect(answers.status).toBe(202);
  const asked = await post(listening.url, [ping, { ...ping, id: 2 }], headers);
  const ids = ((await asked.json()) as { id: number }[]).map(({ id }) => id);
  expect(new Set(ids)).toEqual(new Set([1, 2]));
});

test("R-798: the forged Host and the forged Origin of a rebound name are refused in every era and for every method", async () => {
  await using handler = createStreamableHandler({ getServer: () => peerServer(echo) });
  const legacy = { method: "POST", headers: common, body: JSON.stringify(ping) };
  for (const init of [modern("tools/list"), legacy, { headers: events }, { method: "DELETE" }]) {
    const rebound = await handler.fetch(new Request("http://evil.example/mcp", init));
    expect(rebound.status).toBe(403);
    const request = new Request("http://localhost/mcp", init);
    request.headers.set("origin", "https://evil.example");
    expect((await handler.fetch(request)).status).toBe(403);
  }
});
