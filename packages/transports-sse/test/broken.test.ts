import { createServer } from "node:http";
import { connect } from "node:net";

import { listenOnFreePort } from "@tenon/test-support/http";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { createSSEHandler, SSEServerTransport } from "@tenon/transports-sse/server";
import { expect, test } from "vitest";

import { listen, server } from "./setup.ts";

/** The first line of the answer to a request that `fetch` would not send. */
function statusOf(url: URL, method: string, target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.on("error", reject);
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString().split("\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 0\r\n\r\n`);
  });
}

test.each(["//", "http://", "///"])("a target that is no URL (%s) is answered", async (target) => {
  const errors: unknown[] = [];
  await using listening = await listen({ onError: (error) => errors.push(error) });
  expect(await statusOf(listening.url, "POST", target)).toMatch(/^HTTP\/1.1 404 /);
  expect(await statusOf(listening.url, "GET", target)).toMatch(/^HTTP\/1.1 [2-4]/);
  expect(errors).toEqual([]);
});

/**
 * A server of 2024-11-05 that answers nothing, and resets a connection that it is sent `method` on.
 */
async function resetting(method: string) {
  let posts = 0;
  const http = createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      if ((JSON.parse(body) as { method?: string }).method === method) {
        posts++;
        request.socket.resetAndDestroy();
      } else {
        response.writeHead(202).end();
      }
    });
  });
  const port = await listenOnFreePort(http);
  return {
    url: `http://127.0.0.1:${port}/sse`,
    posts: () => posts,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

test.each([
  ["x/pay", 1],
  ["tools/call", 1],
  ["notifications/x/paid", 1],
  ["tools/list", 2],
  ["notifications/cancelled", 2],
])("%s on a reused connection that is reset is sent %i time(s)", async (method, times) => {
  await using bad = await resetting(method);
  const connection = await new SSEClientTransport(bad.url).connect();
  for (let before = 0; before < 5; before++) {
    await connection.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  const isNotification = method.startsWith("notifications/");
  const written = connection.write({ jsonrpc: "2.0", method, ...(isNotification ? {} : { id: 1 }) });
  await expect(written).rejects.toMatchObject({ code: "NETWORK", delivered: "maybe" });
  expect(bad.posts()).toBe(times);
  await connection.close();
});

test("a URL of another protocol is refused when it is given", () => {
  expect(() => new SSEClientTransport("localhost:3000/sse")).toThrow(
    'Did you mean "http://localhost:3000/sse"?',
  );
});

test("an endpoint is on this host, whatever path its client came by", async () => {
  const handler = createSSEHandler({ getServer: () => server });
  const response = await handler.fetch(new Request("http://localhost//evil.example/sse"));
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("data: /evil.example/sse?");
  await handler.close({ drainMs: 0 });
});

test("an onError that fails costs no answer", async () => {
  const down = (): never => {
    throw new Error("down");
  };
  const handler = createSSEHandler({ getServer: down, onError: down });
  expect((await handler.fetch(new Request("http://localhost/sse"))).status).toBe(500);
  await handler.close();
});

test("a session whose server cannot be connected ends, and leaves its place to others", async () => {
  const errors: unknown[] = [];
  let attempts = 0;
  const handler = createSSEHandler({
    getServer: () => ({
      connect: async (transport) => {
        attempts++;
        if (attempts === 1) {
          throw new Error("down");
        }
        return server.connect(transport);
      },
    }),
    onError: (error) => errors.push(error),
    limits: { maxSessions: 1 },
  });
  const first = await handler.fetch(new Request("http://localhost/sse"));
  await first.text();
  const second = await handler.fetch(new Request("http://localhost/sse"));
  expect(second.status).toBe(200);
  expect(errors).toMatchObject([{ message: "down" }]);
  await handler.close({ drainMs: 0 });
});

test("a session that does not say when it ends lasts as long as its stream", async () => {
  const handler = createSSEHandler({
    getServer: () => ({
      connect: async (transport) => {
        const session = await server.connect(transport);
        return { close: (options) => session.close(options) };
      },
    }),
  });
  const response = await handler.fetch(new Request("http://localhost/sse"));
  const reader = response.body?.getReader();
  const endpoint = /data: (.*)\n/.exec(new TextDecoder().decode((await reader?.read())?.value))?.[1] ?? "";
  const posted = await handler.fetch(
    new Request(new URL(endpoint, "http://localhost"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "x" } }),
    }),
  );
  expect(posted.status).toBe(202);
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"text":"x"');
  await handler.close({ drainMs: 0 });
});

test("a GET that somebody else has answered meanwhile leaves no session behind", async () => {
  let choose = (): void => {};
  const chosen = new Promise<void>((resolve) => {
    choose = resolve;
  });
  let sessions = 0;
  let ended = (): void => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  await using listening = await listen({
    getServer: async () => {
      await chosen;
      return {
        connect: async (transport) => {
          const session = await server.connect(transport);
          sessions++;
          void session.closed.then(ended);
          return session;
        },
      };
    },
  });
  listening.http.prependListener("request", (_, response) => {
    response.writeHead(503);
    response.end("It takes too long.");
  });
  expect((await fetch(listening.url)).status).toBe(503);
  choose();
  await over;
  expect(sessions).toBe(1);
});

test("a transport tells its owner once that it has ended, and what nobody else sees", async () => {
  const errors: unknown[] = [];
  let closed = 0;
  const transport = new SSEServerTransport({
    endpoint: "/messages",
    onClosed: () => {
      closed++;
      throw new Error("its owner failed");
    },
    onError: (error) => errors.push(error),
  });
  await server.connect(transport);
  const response = await transport.fetch(new Request("http://localhost/sse"));
  expect(response.status).toBe(200);
  await transport.close();
  await transport.close();
  expect(closed).toBe(1);
  expect(errors).toMatchObject([{ message: "its owner failed" }]);
});

test("behind a mounted router the endpoint has the whole path", async () => {
  await using listening = await listen();
  // What Express and its like do with the path of a router.
  listening.http.prependListener("request", (request) => {
    Object.assign(request, { originalUrl: request.url, url: "/" });
  });
  const response = await fetch(new URL("/api/sse", listening.url));
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("data: /api/sse?sessionId=");
  await reader?.cancel();
});
