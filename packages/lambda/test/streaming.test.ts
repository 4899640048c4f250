import { once } from "node:events";
import { createServer, request as sendRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";

import { deferred } from "@tenon/test-support";
import { afterEach, expect, test, vi } from "vitest";

import { createStreamingLambdaHandler, type LambdaContext, type LambdaEvent } from "../src/index.ts";
import { eventOf } from "./setup.ts";

type Serve = Parameters<typeof createStreamingLambdaHandler>[0]["serve"];
type Streaming = (event: LambdaEvent, stream: Writable, context?: LambdaContext) => Promise<void>;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The function that a runtime of Lambda gets, and the errors that it reports. */
function streaming(serve: Serve): { readonly handler: Streaming; readonly errors: unknown[] } {
  vi.stubGlobal("awslambda", {
    streamifyResponse: (handler: Streaming) => handler,
    HttpResponseStream: {
      from(stream: ClientRequest, head: { readonly statusCode: number }) {
        stream.setHeader("x-status", head.statusCode);
        return stream;
      },
    },
  });
  const errors: unknown[] = [];
  const handler = createStreamingLambdaHandler(
    { serve },
    { onError: (error) => errors.push(error), limits: { reserveMs: 0 } },
  ) as Streaming;
  return { handler, errors };
}

/** As in the runtimes of Lambda, the stream is a request to the Runtime API. */
async function runtimeApi(
  receive: (incoming: IncomingMessage) => void,
): Promise<{ readonly stream: ClientRequest } & Disposable> {
  const server = createServer((incoming, outgoing) => {
    incoming.on("end", () => outgoing.writeHead(202).end());
    receive(incoming);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stream = sendRequest({ host: "127.0.0.1", port, method: "POST" });
  return {
    stream,
    [Symbol.dispose]() {
      stream.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

const event = eventOf("function URL", new Request("https://mcp.example.com/mcp", { method: "POST" }), "");
const brief = { getRemainingTimeInMillis: () => 5 };

test.each([undefined, new Error("Socket closed.")])(
  "a client that disconnects before the response cancels its request (error: %s)",
  async (error) => {
    using api = await runtimeApi(() => {});
    const asked = deferred<AbortSignal>();
    const late = deferred<Response>();
    const cancelled = deferred();
    const { handler, errors } = streaming((request) => {
      asked.resolve(request.signal);
      return late.promise;
    });
    const done = handler(event, api.stream);
    const signal = await asked.promise;
    api.stream.destroy(error);
    await done;
    expect([signal.aborted, errors]).toEqual([true, []]);
    late.resolve(new Response(new ReadableStream({ cancel: () => cancelled.resolve() })));
    await cancelled.promise;
  },
);

test("a client that disconnects cancels the body that it reads", async () => {
  using api = await runtimeApi((incoming) => incoming.once("data", () => incoming.destroy()));
  const cancelled = deferred();
  const { handler, errors } = streaming(async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from("part")),
      cancel: () => cancelled.resolve(),
    });
    return new Response(body);
  });
  await handler(event, api.stream);
  await cancelled.promise;
  expect(errors).toEqual([]);
});

test("a body that fails ends the stream, and the reason goes to onError", async () => {
  const received = deferred<string>();
  using api = await runtimeApi((incoming) => void text(incoming).then(received.resolve));
  let pulls = 0;
  const { handler, errors } = streaming(async () => {
    const body = new ReadableStream({
      pull: (controller) =>
        pulls++ === 0
          ? controller.enqueue(Buffer.from("part"))
          : controller.error(new Error("The source is gone.")),
    });
    return new Response(body);
  });
  await handler(event, api.stream);
  expect(await received.promise).toBe("part");
  expect(errors).toEqual([expect.objectContaining({ message: "The source is gone." })]);
});

test("an open stream ends with what it has sent when the time of the invocation is up", async () => {
  const received = deferred<string>();
  using api = await runtimeApi((incoming) => void text(incoming).then(received.resolve));
  const { handler, errors } = streaming(
    async () => new Response(new ReadableStream({ start: (sink) => sink.enqueue(Buffer.from("part")) })),
  );
  await handler(event, api.stream, brief);
  expect([await received.promise, errors]).toEqual(["part", []]);
});

test("a call without a response gets 504 when the time of the invocation is up", async () => {
  const received = deferred<[string | string[] | undefined, string]>();
  using api = await runtimeApi(
    (incoming) => void text(incoming).then((body) => received.resolve([incoming.headers["x-status"], body])),
  );
  await streaming(() => new Promise(() => {})).handler(event, api.stream, brief);
  expect(await received.promise).toEqual(["504", expect.stringContaining("timeout of the function")]);
});

test("a body is read only as fast as the client reads", async () => {
  const part = new Uint8Array(1024 * 1024);
  const total = 64;
  const reading = deferred<IncomingMessage>();
  using api = await runtimeApi((incoming) => reading.resolve(incoming.pause()));
  let pulls = 0;
  const { handler } = streaming(async () => {
    const body = new ReadableStream({
      pull: (controller) => (pulls++ < total ? controller.enqueue(part) : controller.close()),
    });
    return new Response(body);
  });
  const done = handler(event, api.stream);
  const incoming = await reading.promise;
  // The first part is larger than the buffer of the stream.
  expect(api.stream.writableNeedDrain).toBe(true);
  expect(pulls).toBeLessThan(total / 2);
  let size = 0;
  incoming.on("data", (chunk: Buffer) => (size += chunk.length)).resume();
  await Promise.all([once(incoming, "end"), done]);
  expect([pulls, size]).toEqual([total + 1, total * part.length]);
});
