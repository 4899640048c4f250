import { EventStream, WebExchange, type EventStreamOptions } from "@tenon/http/server";
import { expect, test } from "vitest";

async function openStream(
  options: EventStreamOptions,
): Promise<{ stream: EventStream; response: Response; data: () => Promise<string[]> }> {
  const exchange = new WebExchange(new Request("http://localhost/"));
  const stream = new EventStream(exchange, {}, options);
  const response = await exchange.response;
  return {
    stream,
    response,
    data: async () => [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data),
  };
}

const big = "x".repeat(200);

test("wait: a full stream makes its sender wait until the client has read", async () => {
  const { stream, data } = await openStream({ limits: { maxBufferedBytes: 100 } });
  const waiting = stream.send({ data: big });
  expect(waiting).toBeInstanceOf(Promise);
  const read = data();
  await waiting;
  expect(stream.send({ data: "next" })).toBeUndefined();
  stream.end();
  expect(await read).toEqual([big, "next"]);
});

test("wait: one send too many breaks the stream off", async () => {
  const { stream, response } = await openStream({ limits: { maxBufferedBytes: 100, maxWaiting: 1 } });
  const first = stream.send({ data: big });
  await expect(stream.send({ data: big })).rejects.toMatchObject({ code: "STALLED" });
  await expect(first).rejects.toMatchObject({ code: "STALLED" });
  expect(stream.closed).toBe(true);
  await expect(response.text()).rejects.toThrow();
});

test("coalesce: of what is about one subject a client that was slow gets the newest, and everything else in order", async () => {
  const { stream, data } = await openStream({ limits: { maxBufferedBytes: 100 }, whenFull: "coalesce" });
  expect(stream.send({ data: big, subject: "a" })).toBeUndefined();
  for (let step = 0; step < 1000; step++) {
    expect(stream.send({ data: `b${step}`, subject: "b" })).toBeUndefined();
    expect(stream.send({ data: `a${step}`, subject: "a" })).toBeUndefined();
  }
  const plain = stream.send({ data: "plain" });
  expect(plain).toBeInstanceOf(Promise);
  expect(stream.send({ data: "a-last", subject: "a" })).toBeUndefined();
  const read = data();
  await plain;
  stream.end();
  expect(await read).toEqual([big, "b999", "a999", "plain", "a-last"]);
});

test("coalesce: what was kept is sent as soon as there is room", async () => {
  const { stream, response } = await openStream({ limits: { maxBufferedBytes: 100 }, whenFull: "coalesce" });
  void stream.send({ data: big, subject: "a" });
  void stream.send({ data: "newest", subject: "a" });
  const reader = response.body?.getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
  expect(await next()).toBe(`data: ${big}\n\n`);
  expect(await next()).toBe("data: newest\n\n");
  stream.end();
  expect(await reader?.read()).toMatchObject({ done: true });
});

test("coalesce: subjects are bounded", async () => {
  const { stream } = await openStream({
    limits: { maxBufferedBytes: 100, maxWaiting: 2 },
    whenFull: "coalesce",
  });
  void stream.send({ data: big, subject: "a" });
  void stream.send({ data: "1", subject: "b" });
  void stream.send({ data: "1", subject: "c" });
  await expect(stream.send({ data: "1", subject: "d" })).rejects.toMatchObject({ code: "STALLED" });
  expect(stream.closed).toBe(true);
});

test("close: a full stream is broken off at once", async () => {
  const { stream, response } = await openStream({ limits: { maxBufferedBytes: 100 }, whenFull: "close" });
  expect(stream.send({ data: big })).toBeUndefined();
  await expect(stream.send({ data: "next" })).rejects.toMatchObject({ code: "STALLED" });
  expect(stream.closed).toBe(true);
  await expect(response.text()).rejects.toThrow();
});

test("who is given up because of not reading counts as gone", async () => {
  const exchange = new WebExchange(new Request("http://localhost/"));
  const gone = new Promise<void>((resolve) => {
    exchange.onDisconnect(resolve);
  });
  const stream = new EventStream(exchange, {}, { whenFull: "close", limits: { maxBufferedBytes: 100 } });
  void stream.send({ data: big });
  await expect(stream.send({ data: "next" })).rejects.toMatchObject({ code: "STALLED" });
  await gone;
  expect(stream.closed).toBe(true);
});
