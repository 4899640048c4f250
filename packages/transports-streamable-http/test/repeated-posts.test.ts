import { once } from "node:events";
import { connect as connectTcp, createServer as createRelay, type Socket } from "node:net";

import type { Handler } from "@tenon/jsonrpc2";
import { deferred } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { initialize, peerOf } from "./raw-client.ts";
import { common, listen, open, post } from "./setup.ts";

/** A server whose requests end when the test lets them. */
interface Waiting {
  readonly url: URL;
  readonly runs: string[];
  end(): void;
  /** How many POSTs the server has received. */
  received(): number;
  /** How many POSTs have ended, or lost their client. */
  closed(): number;
}

async function waiting(): Promise<Waiting> {
  const mayEnd = deferred();
  const runs: string[] = [];
  const handle: Handler = async ({ method, params }) => {
    if (!method.startsWith("notifications/")) {
      runs.push(method);
      await mayEnd.promise;
    }
    return { method, params };
  };
  const server = await listen(handle);
  onTestFinished(() => server[Symbol.asyncDispose]());
  let [received, closed] = [0, 0];
  server.http.on("request", (request, response) => {
    if (request.method === "POST") {
      // The handler reads the body first, and continues in the same turn.
      request.on("end", () => setImmediate(() => received++));
      response.on("close", () => closed++);
    }
  });
  const end = (): void => mayEnd.resolve();
  return { url: server.url, runs, end, received: () => received, closed: () => closed };
}

const list = { jsonrpc: "2.0", id: 7, method: "tools/list", params: { cursor: "2" } };

test("a request that the client repeats after it lost a reused connection runs once, and gets its response", async () => {
  const { url, runs, end, received, closed } = await waiting();
  const pairs: (readonly [Socket, Socket])[] = [];
  const relay = createRelay((near) => {
    const far = connectTcp(Number(url.port), "127.0.0.1");
    near.on("error", () => far.destroy()).pipe(far);
    far.on("error", () => near.destroy()).pipe(near);
    pairs.push([near, far]);
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  const { port } = relay.address() as { readonly port: number };
  onTestFinished(() => {
    pairs.flat().forEach((socket) => socket.destroy());
    relay.close();
  });
  const peer = await peerOf(new URL(`http://127.0.0.1:${port}/mcp`));
  onTestFinished(() => peer.close());
  await initialize(peer);
  const called = peer.call("tools/list", {});
  await expect.poll(() => runs).toEqual(["tools/list"]);
  const [before, left] = [received(), closed()];
  pairs.forEach(([near, far]) => {
    far.unpipe(near);
    far.destroy();
  });
  // The server knows that the client has left before the client does.
  await expect.poll(closed).toBeGreaterThan(left);
  pairs.forEach(([near]) => near.resetAndDestroy());
  await expect.poll(received).toBeGreaterThan(before);
  end();
  expect(await called).toMatchObject({ method: "tools/list" });
  expect(runs).toEqual(["tools/list"]);
});

/** Sends the request, and leaves when the server has received it. */
async function abandon({ url, received, closed }: Waiting, headers: Record<string, string>): Promise<void> {
  const [before, left] = [received(), closed()];
  const gone = new AbortController();
  const init = { method: "POST", headers: { ...common, ...headers }, body: JSON.stringify(list) };
  const sent = fetch(url, { ...init, signal: gone.signal }).catch(() => {});
  await expect.poll(received).toBeGreaterThan(before);
  gone.abort();
  await sent;
  await expect.poll(closed).toBeGreaterThan(left);
}

test("a request whose client is connected is not continued on another POST", async () => {
  const { url, runs, end } = await waiting();
  const headers = await open(url);
  const first = post(url, list, headers);
  await expect.poll(() => runs).toHaveLength(1);
  expect((await post(url, list, headers)).status).toBe(400);
  end();
  expect((await first).status).toBe(200);
});

test("a request whose client has left is continued on another POST only if it is the same request", async () => {
  const server = await waiting();
  const { url, runs, end, received } = server;
  const headers = await open(url);
  // A client may lose its connection more than once.
  for (let count = 0; count < 20; count++) {
    await abandon(server, headers);
  }
  for (const other of [{ ...list, params: {} }, { ...list, method: "tools/call" }, [list]]) {
    expect((await post(url, other, headers)).status).toBe(400);
  }
  const before = received();
  const repeated = post(url, list, headers);
  await expect.poll(received).toBeGreaterThan(before);
  end();
  expect(await (await repeated).json()).toMatchObject({ id: 7, result: { params: list.params } });
  expect(runs).toEqual(["tools/list"]);
});
