import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createNodeListener, listen, type NodeListenerOptions } from "@tenon/node";
import { expect, test } from "vitest";

async function listening(options: NodeListenerOptions): Promise<{ url: string } & AsyncDisposable> {
  const handler = { node: () => Promise.reject(new Error("not expected here")) };
  const http = createServer(createNodeListener(handler, options));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

test("a request whose sender cannot be found out is refused, and the reason is reported", async () => {
  const errors: unknown[] = [];
  await using server = await listening({
    authenticate: () => {
      throw new Error("the directory is down");
    },
    onError: (error) => {
      errors.push(error);
      throw new Error("the logger, too");
    },
  });
  expect((await fetch(server.url)).status).toBe(500);
  expect(errors).toMatchObject([{ message: "the directory is down" }]);
});

test("what goes wrong with the server itself is reported, and does not end the process", async () => {
  const errors: unknown[] = [];
  const handler = { node: () => Promise.resolve(), close: () => Promise.resolve() };
  await using server = await listen(handler, { port: 0, onError: (error) => void errors.push(error) });
  // As the platform does when it cannot accept a connection.
  server.http.emit("error", new Error("accept ENFILE"));
  expect(errors).toMatchObject([{ message: "accept ENFILE" }]);
});

test("an authentication that fails after it has begun to answer ends that connection, not the process", async () => {
  await using server = await listening({
    authenticate: async (_, response) => {
      response.writeHead(401);
      response.write("You are");
      throw new Error("the directory is down");
    },
  });
  await expect(fetch(server.url).then((response) => response.text())).rejects.toThrow();
});

test("a handler that cannot be closed does not keep the server from it", async () => {
  const handler = { node: () => Promise.resolve(), close: () => Promise.reject(new Error("stuck")) };
  const { http, url, close } = await listen(handler, { port: 0 });
  const waiting = fetch(url);
  waiting.catch(() => {});
  await once(http, "request");
  const closed = once(http, "close");
  await expect(close({ drainMs: 0 })).rejects.toThrow("stuck");
  await closed;
  await expect(waiting).rejects.toThrow();
});
