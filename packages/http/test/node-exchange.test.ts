import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";

import { NodeExchange } from "@tenon/http/server";
import { expect, test } from "vitest";

const limits = { maxBytes: 1024 * 1024, timeoutMs: 60_000 };
const decoder = new TextDecoder();

/**
 * Sends a body in pieces, each when the one before it has arrived, to a server that answers with
 * it.
 */
async function echoed(pieces: readonly Uint8Array[]): Promise<{ length: string | undefined; body: Buffer }> {
  const arrivals: (() => void)[] = [];
  const server = createServer((incoming, response) => {
    const exchange = new NodeExchange(incoming, response);
    const body = exchange.body(limits);
    incoming.on("data", () => arrivals.shift()?.());
    void body.then((bytes) => {
      exchange.respond(200, {}, typeof bytes === "string" ? bytes : decoder.decode(bytes));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const sent = request({ port, host: "127.0.0.1", method: "POST", agent: false });
    const answered = once(sent, "response");
    for (const piece of pieces) {
      const arrived = new Promise<void>((resolve) => {
        arrivals.push(resolve);
      });
      sent.write(piece);
      await arrived;
    }
    sent.end();
    const [response] = (await answered) as [AsyncIterable<Buffer> & { headers: Record<string, string> }];
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
    }
    return { length: response.headers["content-length"], body: Buffer.concat(chunks) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each(["plain", "é", "one byte in Latin-1 and two in UTF-8: ÿ", "€ and 😀", ""])(
  "a body comes back byte for byte however it is cut (%j)",
  async (text) => {
    const bytes = Buffer.from(text);
    const cuts: Uint8Array[][] = [
      bytes.length === 0 ? [] : [bytes],
      [...bytes].map((byte) => Uint8Array.of(byte)),
    ];
    for (const pieces of cuts) {
      const { length, body } = await echoed(pieces);
      expect(body).toEqual(bytes);
      expect(length).toBe(String(bytes.length));
    }
  },
);

test("a client whose answer could not be begun is not left waiting for another", async () => {
  const failed: unknown[] = [];
  const server = createServer((incoming, response) => {
    response.writeHead = () => {
      throw new Error("a hook failed");
    };
    const exchange = new NodeExchange(incoming, response);
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        exchange.respond(200, {}, "{}");
      } catch (error) {
        failed.push(error);
      }
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  expect(failed).toMatchObject([{ message: "a hook failed" }]);
  server.closeAllConnections();
  server.close();
});

test("a stream that could not be opened leaves room for another answer", async () => {
  const server = createServer((incoming, response) => {
    const exchange = new NodeExchange(incoming, response);
    expect(() => exchange.open(200, { "x-bad": "two\nlines" })).toThrow(TypeError);
    exchange.respond(503, {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(503);
  server.closeAllConnections();
  server.close();
});

test.each([
  ["OPTIONS", undefined, "keep-alive"],
  ["GET", undefined, "keep-alive"],
  ["POST", "unread", "close"],
])(
  "the connection of a %s that is answered at once, with the body %j, is %j",
  async (method, body, expected) => {
    const server = createServer((incoming, response) =>
      new NodeExchange(incoming, response).respond(204, {}),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const headers = { connection: "keep-alive" };
    const sent = request({ port, host: "127.0.0.1", method, agent: false, headers }).end(body);
    const [response] = (await once(sent, "response")) as [{ headers: Record<string, string> }];
    expect(response.headers["connection"]).toBe(expected);
    server.closeAllConnections();
    server.close();
  },
);

test("a client that sends its whole body before it reads gets the refusal of a long body", async () => {
  const server = createServer((incoming, response) => {
    const exchange = new NodeExchange(incoming, response);
    exchange.body(limits).catch(({ message }: Error) => exchange.respond(413, {}, message));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1");
  const body = "x".repeat(8 * limits.maxBytes);
  client.pause();
  client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  await expect.poll(() => response.headersSent).toBe(true);
  await new Promise((resolve) => client.write(body, resolve));
  let received = "";
  for await (const chunk of client.setEncoding("utf8")) {
    received += String(chunk);
  }
  expect(received).toMatch(/^HTTP\/1\.1 413 .*\(maxMessageBytes\)\.$/s);
  server.close();
});
