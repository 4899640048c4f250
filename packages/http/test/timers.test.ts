import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";

import { EventStream, NodeExchange, WebExchange } from "@tenon/http/server";
import { expect, test } from "vitest";

const big = "x".repeat(32 * 1024 * 1024);

test.each([100_000, Infinity])(
  "the time that an answer may stay unread (%d ms) is over with the answer, whatever its socket carries next",
  async (stallMs) => {
    // Node would set the timeout of an idle socket itself.
    const server = createServer({ keepAliveTimeout: 0 });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    try {
      socket.pause();
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
      const served = request.socket;
      new NodeExchange(request, response, undefined, stallMs).respond(200, {}, big);
      expect(served.timeout).toBeGreaterThan(0);
      const finished = once(response, "finish");
      socket.resume();
      await finished;
      expect(served.timeout).toBe(0);
    } finally {
      socket.destroy();
      server.closeAllConnections();
      server.close();
    }
  },
);

test("a stream may be allowed to stay unread for ever", async () => {
  const exchange = new WebExchange(new Request("http://localhost"));
  const stream = new EventStream(exchange, {}, { maxBufferedBytes: 10, stallMs: Infinity });
  const sent = stream.send({ data: big.slice(0, 100) });
  await timersOfAMillisecond();
  const reader = (await exchange.response).body?.getReader();
  await reader?.read();
  await sent;
  expect(stream.closed).toBe(false);
  await reader?.cancel();
});

test("a body may be allowed to take for ever", async () => {
  const sent = new TransformStream<Uint8Array, Uint8Array>();
  const writer = sent.writable.getWriter();
  const request = new Request("http://localhost", { method: "POST", body: sent.readable, duplex: "half" });
  const body = new WebExchange(request).body({ maxBytes: 100, timeoutMs: Infinity });
  await timersOfAMillisecond();
  await writer.write(new TextEncoder().encode("late"));
  await writer.close();
  expect(new TextDecoder().decode((await body) as Uint8Array)).toBe("late");
});

/** Lets every timer of a millisecond go off that was set before: those of one duration go off in the order in which they were set. */
function timersOfAMillisecond(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}
