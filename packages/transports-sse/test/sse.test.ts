import { createServer } from "node:http";

import { isLocalError, Peer, type Transport } from "@tenon/jsonrpc2";
import { listenOnFreePort } from "@tenon/test-support/http";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { expect, test, vi } from "vitest";

import { listen, server } from "./setup.ts";

test("S-023, S-033: calls and answers go through", async () => {
  await using listening = await listen();
  await using peer = new Peer(await new SSEClientTransport(listening.url).connect());
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => peer.call("echo", { text: `${index}` })),
  );
  expect(answers).toEqual(answers.map((_, index) => ({ text: `${index}` })));
});

test("the server asks its client on the same stream", async () => {
  await using listening = await listen();
  const connection = await new SSEClientTransport(listening.url).connect();
  await using peer = new Peer(connection, { handler: ({ method }) => `answer to ${method}` });
  expect(await peer.call("ask", {})).toBe("answer to question");
});

test("S-026, S-031: the first event names the endpoint, with the session in its query", async () => {
  await using listening = await listen();
  const controller = new AbortController();
  const response = await fetch(listening.url, { signal: controller.signal });
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(new TextDecoder().decode(value)).toMatch(/^event: endpoint\ndata: \/sse\?sessionId=[\w-]+\n\n$/);
  controller.abort();
});

test("S-024: close ends the sessions and admits no more", async () => {
  await using listening = await listen();
  const peer = new Peer(await new SSEClientTransport(listening.url).connect());
  await listening.handler.close({ drainMs: 0 });
  await peer.closed;
  await expect(new SSEClientTransport(listening.url).connect()).rejects.toMatchObject({
    code: "STATUS",
    status: 503,
  });
});

test("maxSessions holds while the servers of many sessions are being chosen at once", async () => {
  await using listening = await listen({
    getServer: () =>
      new Promise((resolve) => {
        setImmediate(() => resolve(server));
      }),
    limits: { maxSessions: 2 },
  });
  const controller = new AbortController();
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => fetch(listening.url, { signal: controller.signal })),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(responses.filter(({ status }) => status === 503)).toHaveLength(3);
  controller.abort();
});

test("a session whose server is chosen only after the handler was closed is not opened", async () => {
  let choose = (): void => {};
  let asked = (): void => {};
  const choosing = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await using listening = await listen({
    getServer: async () => {
      asked();
      await new Promise<void>((resolve) => {
        choose = resolve;
      });
      return server;
    },
  });
  const response = fetch(listening.url);
  await choosing;
  await listening.handler.close();
  choose();
  expect((await response).status).toBe(503);
});

test("the choice of a server and its handlers know the address of the client", async () => {
  const addresses: unknown[] = [];
  const connect = async (transport: Transport): Promise<Peer> =>
    new Peer(await transport.connect(), {
      handler: ({ extra }) => ({ address: extra?.http?.address ?? "unknown" }),
    });
  await using listening = await listen({
    getServer: ({ address }) => {
      addresses.push(address);
      return { connect };
    },
  });
  await using peer = new Peer(await new SSEClientTransport(listening.url).connect());
  expect(await peer.call("where", {})).toEqual({ address: "127.0.0.1" });
  expect(addresses).toEqual(["127.0.0.1"]);
});

test("T-030, T-031: a foreign Host and a foreign Origin are refused", async () => {
  await using listening = await listen();
  const foreign = await fetch(listening.url, { headers: { origin: "https://evil.example" } });
  expect(foreign.status).toBe(403);
  expect(await foreign.text()).toContain("allowedOrigins");
});

test("T-032: a session is of no use to another principal", async () => {
  await using listening = await listen({}, (authorization = "nobody") => authorization);
  const controller = new AbortController();
  const response = await fetch(listening.url, {
    headers: { authorization: "alice" },
    signal: controller.signal,
  });
  const { value } = (await response.body?.getReader().read()) ?? {};
  const endpoint = /data: (.*)\n/.exec(new TextDecoder().decode(value))?.[1] ?? "";
  const post = (authorization: string): Promise<Response> =>
    fetch(new URL(endpoint, listening.url), {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "x" } }),
    });
  expect((await post("bob")).status).toBe(404);
  expect((await post("alice")).status).toBe(202);
  controller.abort();
});

test("S-235: a server that names no endpoint is given up", async () => {
  const http = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
  });
  const port = await listenOnFreePort(http);
  const transport = new SSEClientTransport(`http://127.0.0.1:${port}/sse`, {
    limits: { connectTimeoutMs: 50 },
  });
  await expect(transport.connect()).rejects.toSatisfy((error) => isLocalError(error, "TIMEOUT"));
  http.closeAllConnections();
  http.close();
});

test("S-235: by default a server has 30 s to name its endpoint", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const headers = { "content-type": "text/event-stream" };
    let outcome: unknown = "pending";
    const connecting = new SSEClientTransport("http://localhost/sse", {
      fetch: (_url, init) => {
        const start = (stream: ReadableStreamDefaultController): void => {
          init?.signal?.addEventListener("abort", () => stream.error(init.signal?.reason));
        };
        return Promise.resolve(new Response(new ReadableStream({ start }), { headers }));
      },
    })
      .connect()
      .catch((error: unknown) => {
        outcome = error;
      });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(outcome).toBe("pending");
    await vi.advanceTimersByTimeAsync(1);
    await connecting;
    expect(isLocalError(outcome, "TIMEOUT")).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("R-383, T-083: an endpoint of another origin is refused", async () => {
  const http = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: endpoint\ndata: https://evil.example/messages\n\n");
  });
  const port = await listenOnFreePort(http);
  const transport = new SSEClientTransport(`http://127.0.0.1:${port}/sse`);
  await expect(transport.connect()).rejects.toSatisfy((error) => isLocalError(error, "INVALID_STATE"));
  http.closeAllConnections();
  http.close();
});

test("the loss of the stream rejects what is pending", async () => {
  await using listening = await listen();
  const connection = await new SSEClientTransport(listening.url).connect();
  let asked = (): void => {};
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const peer = new Peer(connection, {
    handler: () => {
      asked();
      return new Promise(() => {});
    },
  });
  const pending = peer.call("ask", {});
  await reached;
  listening.http.closeAllConnections();
  await expect(pending).rejects.toSatisfy((error) => isLocalError(error, "CONNECTION_CLOSED"));
});

test("a server may be given for ever to name its endpoint", async () => {
  const http = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    // Of Infinity platforms make 1 ms, and this one was set later.
    setTimeout(() => response.write("event: endpoint\ndata: /messages\n\n"), 1);
  });
  const port = await listenOnFreePort(http);
  const transport = new SSEClientTransport(`http://127.0.0.1:${port}/sse`, {
    limits: { connectTimeoutMs: Infinity },
  });
  await using connection = await transport.connect();
  expect(connection).toBeDefined();
  http.closeAllConnections();
  http.close();
});
