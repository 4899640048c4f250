import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";

import {
  createHttpClient,
  fetchWire,
  platformWire,
  readText,
  type Wire,
  type WireResponse,
} from "@tenon/http/client";
import { expect, test } from "vitest";

interface Listening extends AsyncDisposable {
  readonly url: URL;
  readonly http: Server;
}

async function listen(listener: RequestListener): Promise<Listening> {
  const http = createServer(listener);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    http,
    url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/path?query`),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

const wires: readonly (readonly [string, Wire])[] = [
  ["of this platform", platformWire],
  ["over fetch", fetchWire((url, init) => fetch(url, init))],
];
const never = new AbortController().signal;

/** Something that will happen. */
function event(): { readonly happened: Promise<void>; happen(): void } {
  let happen = (): void => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}

test.each(wires)("the wire %s carries a request and its answer", async (_, wire) => {
  await using server = await listen((request, response) => {
    const { method = "", url = "" } = request;
    request.setEncoding("utf8").on("data", (text: string) => {
      response.setHeader("x-list", ["a", "b"]);
      response.writeHead(404).end(`${method} ${url} ${String(request.headers["x-test"])} ${text}`);
    });
  });
  const headers = { "x-test": "1" };
  const response = await wire({ url: server.url, method: "POST", headers, body: "é", signal: never });
  expect(response.status).toBe(404);
  expect(response.header("x-list")).toBe("a, b");
  expect(response.header("x-none")).toBeUndefined();
  expect(await readText(response, 100)).toBe("POST /path?query 1 é");
});

const compressions = [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const;

test.each(wires.flatMap((wire) => compressions.map((compression) => [...wire, ...compression] as const)))(
  "the wire %s decompresses an answer that was compressed unasked",
  async (_, wire, encoding, compress) => {
    await using server = await listen((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(compress("é".repeat(50_000)));
    });
    const ask = (): Promise<WireResponse> =>
      wire({ url: server.url, method: "GET", headers: {}, signal: never });
    expect(await readText(await ask(), 100_000)).toBe("é".repeat(50_000));
    await expect(readText(await ask(), 99_999)).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  },
);

test.each(wires)(
  "on the wire %s a compressed stream arrives piece by piece, and a signal ends it",
  async (_, wire) => {
    await using server = await listen((_request, response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { "content-encoding": "gzip" }));
      gzip.write("first");
      gzip.flush();
    });
    const controller = new AbortController();
    const { signal } = controller;
    const response = await wire({ url: server.url, method: "GET", headers: {}, signal });
    const body = response.body[Symbol.asyncIterator]();
    expect(new TextDecoder().decode((await body.next()).value)).toBe("first");
    const second = body.next();
    controller.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
  },
);

test.each(wires)("on the wire %s a compressed stream can be given up while it waits", async (_, wire) => {
  const gone = event();
  await using server = await listen((_request, response) => {
    response.on("close", gone.happen);
    const gzip = createGzip();
    gzip.pipe(response.writeHead(200, { "content-encoding": "gzip" }));
    gzip.write("first");
    gzip.flush();
  });
  const response = await wire({ url: server.url, method: "GET", headers: {}, signal: never });
  const body = response.body[Symbol.asyncIterator]();
  await body.next();
  const second = body.next().catch(() => {});
  await body.return?.();
  await Promise.all([second, gone.happened]);
});

test("on the wire of this platform a body that is not what its Content-Encoding says breaks off", async () => {
  await using server = await listen((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("plain");
  });
  const response = await platformWire({ url: server.url, method: "GET", headers: {}, signal: never });
  await expect(readText(response, 100)).rejects.toThrow("Response ended early: incorrect header check");
});

test.each(wires)("the wire %s follows no redirects", async (_, wire) => {
  await using server = await listen((_request, response) => {
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const response = await wire({ url: server.url, method: "GET", headers: {}, signal: never });
  expect([response.status, response.header("location")]).toEqual([307, "/elsewhere"]);
  expect(await readText(response, 100)).toBe("");
});

test.each(wires)("on the wire %s a signal ends a request that is not answered", async (_, wire) => {
  await using server = await listen(() => {});
  const controller = new AbortController();
  const { signal } = controller;
  const received = once(server.http, "request") as Promise<[unknown, ServerResponse]>;
  const response = wire({ url: server.url, method: "GET", headers: {}, signal });
  const [, answer] = await received;
  const closed = once(answer, "close");
  controller.abort(new Error("enough"));
  await expect(response).rejects.toThrow("enough");
  await closed;
  await expect(wire({ url: server.url, method: "GET", headers: {}, signal })).rejects.toThrow("enough");
});

test.each(wires)("on the wire %s a signal ends a body that goes on", async (_, wire) => {
  await using server = await listen((_request, response) => {
    response.write("beginning");
  });
  const controller = new AbortController();
  const { signal } = controller;
  const response = await wire({ url: server.url, method: "GET", headers: {}, signal });
  const text = readText(response, 100);
  controller.abort(new Error("enough"));
  await expect(text).rejects.toMatchObject({ code: "NETWORK" });
});

test.each(wires)("on the wire %s a body that breaks off rejects", async (_, wire) => {
  await using server = await listen((_request, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("beginning", () => response.destroy());
  });
  const response = await wire({ url: server.url, method: "GET", headers: {}, signal: never });
  await expect(readText(response, 100)).rejects.toMatchObject({ code: "NETWORK" });
});

test.each(wires)("on the wire %s a body beyond the limit gives its connection up", async (_, wire) => {
  const closed = event();
  await using server = await listen((_request, response) => {
    response.on("close", () => closed.happen());
    const write = (): void => {
      while (!response.destroyed && response.write("x".repeat(10_000))) {}
    };
    response.on("drain", write);
    write();
  });
  const response = await wire({ url: server.url, method: "GET", headers: {}, signal: never });
  await expect(readText(response, 100_000)).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  await closed.happened;
});

test("who does not read an answer slows its sender down, and gets all of it in the end", async () => {
  const total = 64 * 1024 * 1024;
  let written = 0;
  const stalled = event();
  await using server = await listen((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const write = (): void => {
      while (written < total) {
        written += chunk.length;
        if (!response.write(chunk)) {
          stalled.happen();
          return;
        }
      }
      response.end();
    };
    response.on("drain", write);
    write();
  });
  const response = await platformWire({ url: server.url, method: "GET", headers: {}, signal: never });
  await stalled.happened;
  let last = -1;
  // What the sender could write before the buffers of the system were full.
  while (last !== written) {
    last = written;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(written).toBeLessThan(total);
  let read = 0;
  for await (const { length } of response.body) {
    read += length;
  }
  expect(read).toBe(total);
});

test("a short answer that is thrown away leaves its connection to others, a long one gives it up", async () => {
  const sockets: Socket[] = [];
  await using server = await listen((request, response) => {
    sockets.push(request.socket);
    response.end("x".repeat(request.url === "/long" ? 10_000_000 : 1000));
  });
  const get = async (path: string): Promise<WireResponse> => {
    const response = await platformWire({
      url: new URL(path, server.url),
      method: "GET",
      headers: {},
      signal: never,
    });
    response.discard();
    return response;
  };
  const short = await get("/short");
  expect(await readText(short, 1)).toBe("");
  const [first] = sockets;
  const long = await get("/long");
  await expect(readText(long, 1)).rejects.toMatchObject({ code: "NETWORK" });
  const second = sockets[1];
  await new Promise((resolve) => {
    // Its error, if there is one, is no news.
    if (second?.destroyed === false) {
      second.on("error", () => {}).on("close", resolve);
    } else {
      resolve(undefined);
    }
  });
  expect(second === first || first?.destroyed === false).toBe(true);
});

test.each(wires)(
  "on the wire %s an answer that is thrown away and never ends gives its connection up",
  async (_, wire) => {
    await using server = await listen((_request, response) => {
      response.writeHead(202).write("and");
    });
    const received = once(server.http, "request") as Promise<[unknown, ServerResponse]>;
    const response = await wire({ url: server.url, method: "POST", headers: {}, body: "", signal: never });
    const [, answer] = await received;
    const closed = once(answer, "close");
    response.discard();
    await closed;
    expect(answer.writableFinished).toBe(false);
  },
);

test.each([
  ["nothing", undefined, "got undefined"],
  ["null", null, "got null"],
  ["text", "ok", "got string"],
  ["an object of another kind", { statusCode: 200 }, "got an object without its status, headers or body"],
  ["plain headers", { status: 200, headers: {} }, "got an object without its status, headers or body"],
  [
    "a body of streams of Node",
    { status: 200, headers: new Headers(), body: { pipe: () => {} } },
    "got an object without its status, headers or body",
  ],
])("a fetch that resolves to %s is named as the mistake", async (_, junk, got) => {
  const http = createHttpClient({ wire: fetchWire(() => Promise.resolve(junk as Response)) });
  const url = new URL("http://127.0.0.1/");
  await expect(http({ url, method: "GET", headers: {}, signal: never })).rejects.toMatchObject({
    code: "INVALID_STATE",
    message: `The fetch option must resolve to a Response; ${got}.`,
  });
});

test.each(wires)("on the wire %s a body that is waited for in vain can be left", async (_, wire) => {
  await using server = await listen((_request, response) => {
    response.write("beginning");
  });
  const received = once(server.http, "request") as Promise<[unknown, ServerResponse]>;
  const response = await wire({ url: server.url, method: "GET", headers: {}, signal: never });
  const [, answer] = await received;
  const closed = once(answer, "close");
  const body = response.body[Symbol.asyncIterator]();
  await body.next();
  const next = body.next().catch(() => "broken off");
  await body.return?.();
  await closed;
  expect([{ done: true, value: undefined }, "broken off"]).toContainEqual(await next);
});

test.each(wires)(
  "the wire %s gives an answer up that nobody gets because asking who sends it failed",
  async (_, wire) => {
    const gone = event();
    await using server = await listen((_request, response) => {
      response.on("close", gone.happen);
      response.writeHead(401);
      // An answer without end.
      response.write("x".repeat(1024));
    });
    const http = createHttpClient({
      wire,
      auth: {
        headers: () => undefined,
        refused: () => {
          throw new Error("no token to be had");
        },
      },
    });
    const request = http({ url: server.url, method: "GET", headers: {}, signal: never });
    await expect(request).rejects.toThrow("no token to be had");
    await gone.happened;
  },
);

test("a fetch function that adds a header adds it to one request only", async () => {
  await using server = await listen((request, response) => {
    response.end(request.headers["x-token"] ?? "none");
  });
  // Headers that several connections share, like those of a module.
  const headers = { accept: "text/plain" };
  const request = { url: server.url, method: "GET", headers, signal: never };
  const adding = createHttpClient({
    wire: fetchWire((url, init) => {
      Object.assign(init.headers ?? {}, { "x-token": "secret" });
      return fetch(url, init);
    }),
  });
  expect(await readText(await adding(request), 100)).toBe("secret");
  const other = createHttpClient({ wire: fetchWire((url, init) => fetch(url, init)) });
  expect(await readText(await other(request), 100)).toBe("none");
});
