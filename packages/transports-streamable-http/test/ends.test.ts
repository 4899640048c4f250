import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

import { legacyRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { codeOf, common, echo, listen, modern, open, peerServer, type ModernRequest } from "./setup.ts";

/** A request as it goes over the wire. */
function bytesOf(url: URL, { headers, body }: ModernRequest): string {
  const fields = Object.entries({ ...headers, host: url.host, "content-length": String(body.length) });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${url.pathname} HTTP/1.1\r\n${head}\r\n${body}`;
}

function socketTo(url: URL): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  return socket;
}

test("R-294: a client that goes away while its server is being chosen cancels its request", async () => {
  let choose = (): void => {};
  let asked = (): void => {};
  const choosing = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let aborted = (_signal: AbortSignal): void => {};
  const cancelled = new Promise<AbortSignal>((resolve) => {
    aborted = resolve;
  });
  const server = peerServer(async ({ id, signal }) => {
    if (id !== undefined) {
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      aborted(signal);
    }
  });
  await using listening = await listen(echo, {
    getServer: async () => {
      asked();
      await new Promise<void>((resolve) => {
        choose = resolve;
      });
      return server;
    },
  });
  const connected = once(listening.http, "connection") as Promise<[Socket]>;
  const socket = socketTo(listening.url);
  socket.write(bytesOf(listening.url, modern("wait")));
  const [served] = await connected;
  await choosing;
  const closed = once(served, "close");
  socket.destroy();
  await closed;
  choose();
  expect((await cancelled).aborted).toBe(true);
});

test("the fetch path: a client that goes away while its server is being chosen cancels its request", async () => {
  let aborted = (_signal: AbortSignal): void => {};
  const cancelled = new Promise<AbortSignal>((resolve) => {
    aborted = resolve;
  });
  const controller = new AbortController();
  const server = peerServer(async ({ id, signal }) => {
    if (id !== undefined) {
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      aborted(signal);
    }
  });
  await using handler = createStreamableHandler({
    getServer: async () => {
      controller.abort();
      return server;
    },
  });
  const request = new Request("http://localhost/mcp", { ...modern("wait"), signal: controller.signal });
  const answer = handler.fetch(request);
  expect((await cancelled).aborted).toBe(true);
  expect((await answer).status).toBe(499);
});

test("a body that was read by somebody else and not passed on is not waited for", async () => {
  const errors: unknown[] = [];
  await using handler = createStreamableHandler({
    getServer: () => peerServer(echo),
    onError: (error) => errors.push(error),
  });
  const http = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      setImmediate(() => void handler.node(request, response));
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, modern("tools/list"));
  expect(response.status).toBe(500);
  expect(errors).toMatchObject([
    { code: "INVALID_STATE", message: expect.stringContaining("parsedBody") as string },
  ]);
  http.closeAllConnections();
  http.close();
});

test("a request whose body arrives after the handler was closed is refused, and opens nothing", async () => {
  const server = peerServer(echo);
  let handled = 0;
  await using listening = await listen(echo, {
    getServer: () => ({
      ...server,
      handle(...message) {
        handled++;
        return server.handle(...message);
      },
    }),
  });
  const bytes = bytesOf(listening.url, modern("tools/list"));
  const begun = once(listening.http, "request");
  const socket = socketTo(listening.url);
  socket.write(bytes.slice(0, -10));
  await begun;
  await listening.handler.close();
  socket.write(bytes.slice(-10));
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
  expect(handled).toBe(0);
  socket.destroy();
});

test("a request that its framework has answered meanwhile does not end the process when it is kept alive", async () => {
  const errors: unknown[] = [];
  let finish = (): void => {};
  const server = peerServer(async ({ id }) => {
    if (id !== undefined) {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    }
    return "late";
  });
  let reported = (): void => {};
  const beaten = new Promise<void>((resolve) => {
    reported = resolve;
  });
  await using handler = createStreamableHandler({
    getServer: () => server,
    onError: (error) => {
      errors.push(error);
      reported();
    },
    limits: { heartbeatMs: 5 },
  });
  const http = createServer((request, response) => {
    void handler.node(request, response);
    request.on("end", () => {
      response.writeHead(503);
      response.write("It takes too long.");
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, modern("wait"));
  expect(response.status).toBe(503);
  await beaten;
  finish();
  expect(errors).toMatchObject([{ code: "INVALID_STATE" }]);
  http.closeAllConnections();
  http.close();
});

test("R-286: a request whose session ends before it is answered is told so", async () => {
  let entered = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using listening = await listen(async ({ id, signal }) => {
    if (id !== undefined) {
      entered();
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
    }
  });
  const headers = await open(listening.url);
  const call = fetch(listening.url, {
    method: "POST",
    headers: { ...common, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "wait" }),
  });
  await waiting;
  await fetch(listening.url, { method: "DELETE", headers });
  const answer = await call;
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await codeOf(answer)).toBe(-32603);
});

test("an answer that is complete and not read is given up after a while", async () => {
  const huge = "x".repeat(32 * 1024 * 1024);
  await using listening = await listen(() => huge, { limits: { stallMs: 100 } });
  const connected = once(listening.http, "connection") as Promise<[Socket]>;
  const socket = socketTo(listening.url);
  socket.pause();
  socket.write(bytesOf(listening.url, modern("tools/list")));
  const [served] = await connected;
  await once(served, "close");
  expect(served.destroyed).toBe(true);
  socket.destroy();
});

test.each(["legacy", "modern"] as const)(
  "S-024: close gives running requests the time of their server, and less when it is said again (%s)",
  async (era) => {
    const entries: (() => void)[] = [];
    let finish = (): void => {};
    const aborted: unknown[] = [];
    await using listening = await listen(async ({ id, params, signal }) => {
      if (id !== undefined) {
        signal.addEventListener("abort", () => aborted.push((params as { which: string }).which));
        entries.shift()?.();
        await new Promise<void>((resolve) => {
          if ((params as { which: string }).which === "first") {
            finish = resolve;
          }
        });
      }
      return "done";
    });
    const session = era === "legacy" ? await open(listening.url) : {};
    const call = async (which: string, id: number): Promise<{ answer: Promise<Response> }> => {
      const inside = new Promise<void>((resolve) => {
        entries.push(resolve);
      });
      const answer =
        era === "legacy"
          ? fetch(listening.url, {
              method: "POST",
              headers: { ...common, ...session },
              body: JSON.stringify({ jsonrpc: "2.0", id, method: "wait", params: { which } }),
            })
          : fetch(listening.url, modern("wait", { which }, id));
      await inside;
      return { answer };
    };
    const first = await call("first", 1);
    const second = await call("second", 2);
    const closed = listening.handler.close({ drainMs: 600_000 });
    finish();
    expect(await (await first.answer).json()).toMatchObject({ result: "done" });
    expect(aborted).toEqual([]);
    await listening.handler.close({ drainMs: 0 });
    await closed;
    expect(await codeOf(await second.answer)).toBe(-32603);
    expect(aborted).toEqual(["second"]);
  },
);

test("S-024: without a time of its own close gives the requests of sessions that of their server", async () => {
  let entered = (): void => {};
  let finish = (): void => {};
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using listening = await listen(async ({ id }) => {
    if (id !== undefined) {
      await new Promise<void>((resolve) => {
        finish = resolve;
        entered();
      });
    }
    return "done";
  });
  const headers = { ...common, ...(await open(listening.url)) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "wait" });
  const answer = fetch(listening.url, { method: "POST", headers, body });
  await inside;
  const closed = listening.handler.close();
  finish();
  await closed;
  expect(await (await answer).json()).toMatchObject({ result: "done" });
});

test("a session that has ended before it takes its first request refuses it", async () => {
  await using handler = createStreamableHandler({
    getServer: () => ({
      ...peerServer(echo),
      async connect(transport) {
        const connection = await transport.connect();
        await connection.close();
        return { close: () => connection.close() };
      },
    }),
  });
  const params = {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const answer = await handler.fetch(
    new Request("http://localhost/mcp", { method: "POST", headers: common, body }),
  );
  expect(answer.status).toBe(404);
});
