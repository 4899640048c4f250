import { once } from "node:events";
import {
  createServer,
  request as send,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { connect, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { NodeExchange, WebExchange, type Exchange } from "@tenon/http/server";
import { expect, test } from "vitest";

const mebibyte = 1024 * 1024;
const limits = { maxBytes: 100 * mebibyte, timeoutMs: 60_000 };

/**
 * A server whose requests are answered by hand, after their bodies have arrived or were refused.
 */
async function collect(): Promise<
  AsyncDisposable & {
    post(
      body: string | Uint8Array,
      encoding?: string,
      address?: string,
    ): Promise<{ exchange: Exchange; outcome: unknown; done: () => Promise<void> }>;
  }
> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    async post(body, encoding, address) {
      const headers = encoding === undefined ? {} : { "content-encoding": encoding };
      const sent: ClientRequest = send({ port, host: "127.0.0.1", method: "POST", agent: false, headers });
      sent.on("error", () => {});
      sent.end(body);
      const [incoming, response] = (await once(server, "request")) as ConstructorParameters<
        typeof NodeExchange
      >;
      if (address !== undefined) {
        Object.defineProperty(incoming.socket, "remoteAddress", { value: address });
      }
      const exchange = new NodeExchange(incoming, response);
      const outcome = await exchange.body(limits).then(
        (bytes) => bytes.length,
        (error: unknown) => (error as { code?: string }).code,
      );
      const closed = new Promise<void>((resolve) => response.on("close", resolve));
      return {
        exchange,
        outcome,
        async done() {
          sent.on("response", (answer) => void answer.resume());
          exchange.respond(200, {});
          await closed;
        },
      };
    },
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      server.close();
      return Promise.resolve();
    },
  };
}

test("the bodies of one address that wait for their answers get half of 64 MiB; what is answered counts no more", async () => {
  await using server = await collect();
  const body = Buffer.alloc(4 * mebibyte, "x");
  const accepted = [];
  for (let index = 0; index < 8; index++) {
    accepted.push(await server.post(body));
  }
  expect(accepted.map(({ outcome }) => outcome)).toEqual(Array(8).fill(body.length));
  const refused = await server.post(body);
  expect(refused.outcome).toBe("OVERLOADED");
  await refused.done();

  // Small requests of the same address, and requests from elsewhere, are served.
  const small = await server.post("x".repeat(16 * 1024));
  expect(small.outcome).toBe(16 * 1024);
  const elsewhere = new WebExchange(new Request("http://localhost", { method: "POST", body }));
  expect(await elsewhere.body(limits)).toHaveLength(body.length);
  elsewhere.respond(200, {});

  await small.done();
  await accepted[0]?.done();
  const next = await server.post(body);
  expect(next.outcome).toBe(body.length);
  await Promise.all([...accepted.slice(1), next].map(({ done }) => done()));
});

test("all addresses of an IPv6 network share one limit, because one subscriber has all of them", async () => {
  await using server = await collect();
  const body = Buffer.alloc(4 * mebibyte, "x");
  const accepted = [];
  for (let index = 1; index <= 8; index++) {
    accepted.push(await server.post(body, undefined, `2001:db8:0:1::${index}`));
  }
  const refused = await server.post(body, undefined, "2001:db8:0:1:ffff::9");
  expect(refused.outcome).toBe("OVERLOADED");
  const other = await server.post(body, undefined, "2001:db8:0:2::1");
  expect(other.outcome).toBe(body.length);
  await Promise.all([...accepted, refused, other].map(({ done }) => done()));
});

test("decompressed bytes count, and a body that is alone may be as long as its own limit", async () => {
  await using server = await collect();
  const alone = await server.post(gzipSync(Buffer.alloc(40 * mebibyte)), "gzip");
  expect(alone.outcome).toBe(40 * mebibyte);
  expect((await server.post(gzipSync(Buffer.alloc(mebibyte)), "gzip")).outcome).toBe("OVERLOADED");
  await alone.done();
  const next = await server.post(gzipSync(Buffer.alloc(mebibyte)), "gzip");
  expect(next.outcome).toBe(mebibyte);
  await next.done();
});

test("a body whose client went away is given back", async () => {
  await using server = await collect();
  for (let index = 0; index < 10; index++) {
    const { exchange, outcome } = await server.post(Buffer.alloc(4 * mebibyte));
    expect(outcome).toBe(4 * mebibyte);
    await new Promise<void>((resolve) => {
      exchange.onDisconnect(resolve);
      exchange.open(200, {}).abort();
    });
  }
});

test("a body is given back when its connection is lost while its answer waits for another one", async () => {
  let arrived: (...pair: [IncomingMessage, ServerResponse]) => void = () => {};
  // The first request of each connection is never answered.
  const server = createServer((incoming, response) => {
    if (incoming.method === "POST") {
      arrived(incoming, response);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const body = "x".repeat(4 * mebibyte);
  const second = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let index = 0; index < 17; index++) {
    const connection = connect(port, "127.0.0.1").on("error", () => {});
    const answers = new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
      arrived = (...pair) => resolve(pair);
    });
    connection.write(`GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${second}`);
    const [incoming, response] = await answers;
    const exchange = new NodeExchange(incoming, response);
    let isGone = false;
    exchange.onDisconnect(() => {
      isGone = true;
    });
    expect(await exchange.body(limits)).toHaveLength(body.length);
    const lost = once(incoming.socket, "close");
    connection.destroy();
    await lost;
    expect(isGone).toBe(true);
  }
  server.close();
});

/** A request of a client that has gone, before its body was asked for. */
async function abandoned(isRead: boolean): Promise<readonly [IncomingMessage, ServerResponse]> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sent = send({ port, host: "127.0.0.1", method: "POST", agent: false });
  sent.on("error", () => {});
  sent.end("{}");
  const [incoming, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  if (isRead) {
    incoming.resume();
  }
  const closed = once(response, "close");
  sent.destroy();
  await closed;
  server.close();
  return [incoming, response];
}

test("a body that a framework has read is not counted for a client that has gone meanwhile", async () => {
  const body = "x".repeat(4 * mebibyte);
  for (let index = 0; index < 17; index++) {
    const exchange = new NodeExchange(...(await abandoned(true)), body);
    await exchange.body(limits).catch(() => {});
  }
  const elsewhere = new WebExchange(new Request("http://localhost", { method: "POST", body }));
  expect(await elsewhere.body(limits)).toHaveLength(body.length);
  elsewhere.respond(200, {});
});

test("the body of a client that has gone is not waited for", async () => {
  const exchange = new NodeExchange(...(await abandoned(false)));
  const body = exchange.body({ ...limits, timeoutMs: Infinity });
  await expect(body).rejects.toMatchObject({ code: "BODY_INCOMPLETE" });
});
