import { EventStream, WebExchange } from "@tenon/http/server";
import { expect, test } from "vitest";

const big = "x".repeat(100);

test("a stream may be allowed to stay unread for ever", async () => {
  const exchange = new WebExchange(new Request("http://localhost"));
  const stream = new EventStream(exchange, {}, { limits: { maxBufferedBytes: 10, stallMs: Infinity } });
  const sent = stream.send({ data: big });
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

/**
 * Lets every timer of a millisecond go off that was set before: those of one duration go off in the
 * order in which they were set.
 */
function timersOfAMillisecond(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}
