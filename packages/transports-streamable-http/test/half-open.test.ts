import { connect, createServer, type Socket } from "node:net";

import { listenOnFreePort } from "@tenon/test-support/http";
import type { ListeningState } from "@tenon/transports-streamable-http/client";
import { createMemoryEventStore } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { badServer } from "./bad-server.ts";
import { initialize, meta, peerOf } from "./raw-client.ts";
import { listen } from "./setup.ts";

interface Proxy extends AsyncDisposable {
  readonly url: URL;
  /**
   * From now on nothing gets through on the connections there are; they stay open, as if the other
   * end had lost its power.
   */
  freeze(): void;
}

async function freezingProxy(target: URL): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const frozen = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const relay = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (!frozen.has(from)) {
          to.write(chunk);
        }
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    };
    relay(client, upstream);
    relay(upstream, client);
  });
  const port = await listenOnFreePort(server);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    freeze: () => {
      for (const socket of sockets) {
        frozen.add(socket);
      }
    },
    [Symbol.asyncDispose]: () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
      return Promise.resolve();
    },
  };
}

test("T-057: a listening stream whose other end is gone without a word is found out and opened again", async () => {
  await using listening = await listen(undefined, { limits: { heartbeatMs: 20 } });
  await using proxy = await freezingProxy(listening.url);
  const states: ListeningState[] = [];
  let again = (): void => {};
  const reopened = new Promise<void>((resolve) => {
    again = resolve;
  });
  await using peer = await peerOf(proxy.url, {
    reconnect: { maxSilenceMs: 1000, initialDelayMs: 10 },
    onListening: (state) => {
      states.push(state);
      if (states.filter((each) => each.state === "open").length === 2) {
        again();
      }
    },
  });
  await initialize(peer);
  proxy.freeze();
  await reopened;
  const seen = states.map(({ state }) => state);
  expect(seen.slice(0, 3)).toEqual(["connecting", "open", "waiting"]);
  expect(seen.at(-1)).toBe("open");
});

test("T-057: the stream of an answer is resumed when nothing comes on it any more", async () => {
  let finish: (value: unknown) => void = () => {};
  let entered = (): void => {};
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using listening = await listen(
    async (scope) => {
      if (scope.id === undefined) {
        return undefined;
      }
      await scope.notify("notifications/message", { step: 1 });
      entered();
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    { sessions: { eventStore: createMemoryEventStore() }, limits: { heartbeatMs: 20 } },
  );
  await using proxy = await freezingProxy(listening.url);
  const heard: string[] = [];
  let told = (): void => {};
  const first = new Promise<void>((resolve) => {
    told = resolve;
  });
  await using peer = await peerOf(
    proxy.url,
    { reconnect: { maxSilenceMs: 1000, initialDelayMs: 10 } },
    (method) => {
      heard.push(method);
      told();
    },
  );
  await initialize(peer);
  const call = peer.call("slow", {});
  await Promise.all([inside, first]);
  proxy.freeze();
  finish("done");
  expect(await call).toBe("done");
  expect(heard).toEqual(["notifications/message"]);
});

test("a modern answer that falls silent rejects its call", async () => {
  await using server = await badServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hello\n\n");
  });
  await using peer = await peerOf(server.url, { reconnect: { maxSilenceMs: 50 } });
  await expect(peer.call("tools/list", { _meta: meta })).rejects.toMatchObject({ code: "NETWORK" });
});

test("T-056: calls that time out give their connections up", async () => {
  const sockets = new Set<Socket>();
  let allClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    allClosed = resolve;
  });
  await using server = await badServer((_, response) => {
    const socket = response.socket as Socket;
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) {
        allClosed();
      }
    });
  });
  await using peer = await peerOf(server.url);
  const calls = Array.from({ length: 50 }, () =>
    peer.call("tools/list", { _meta: meta }, { totalTimeoutMs: 300 }),
  );
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "TIMEOUT" } });
  }
  await closed;
  expect(sockets.size).toBe(0);
});
