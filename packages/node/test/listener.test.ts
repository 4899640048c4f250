import { once } from "node:events";
import { request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { Server } from "@tenon/mcp";
import { createNodeListener, listen } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

const server = new Server({ name: "test", version: "1.0.0" });

test("what goes wrong with the server itself is reported, and does not end the process", async () => {
  const errors: unknown[] = [];
  const handler = { node: () => Promise.resolve(), close: () => Promise.resolve() };
  await using listening = await listen(handler, { port: 0, onError: (error) => void errors.push(error) });
  // As the platform does when it cannot accept a connection.
  listening.http.emit("error", new Error("accept ENFILE"));
  expect(errors).toMatchObject([{ message: "accept ENFILE" }]);
});

test("a listener refuses an option that does not exist", () => {
  const handler = { node: () => Promise.resolve() };
  expect(() => createNodeListener(handler, { paths: "/mcp" } as object)).toThrow(
    new TypeError('createNodeListener has no option "paths". Did you mean path?'),
  );
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

/** A server with one request, which is answered with `length` bytes while the server is closed. */
async function closedWhileAnswering(
  length: number,
  drainMs: number,
): Promise<{ readonly answered: Promise<unknown[]>; readonly closed: Promise<void> }> {
  let response: ServerResponse | undefined;
  const { http, url, close } = await listen(
    {
      node: () => Promise.resolve(),
      close: () => {
        response?.end("x".repeat(length));
        return Promise.resolve();
      },
    },
    { port: 0 },
  );
  const sent = request(url, { method: "POST" });
  const answered = once(sent, "response");
  answered.catch(() => {});
  sent.end();
  [, response] = (await once(http, "request")) as [unknown, ServerResponse];
  return { answered, closed: close({ drainMs }) };
}

test("a long answer that is given while the server is closed arrives whole", async () => {
  const { answered, closed } = await closedWhileAnswering(5_000_000, 60_000);
  const [response] = (await answered) as [AsyncIterable<Buffer>];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
  }
  expect(length).toBe(5_000_000);
  await closed;
});

test("a client that does not read its answer does not keep the server from closing", async () => {
  const { answered, closed } = await closedWhileAnswering(50_000_000, 1);
  await closed;
  await answered.catch(() => {});
});

test("a request to a route is served although the server is closed in the meantime", async () => {
  let response: ServerResponse | undefined;
  const route = {
    paths: ["/token"],
    node: (_: IncomingMessage, given: ServerResponse) => {
      response = given;
      return Promise.resolve();
    },
  };
  const handler = createStreamableHandler({ getServer: () => server });
  const { http, url, close } = await listen(handler, { port: 0, routes: [route] });
  const answered = fetch(new URL("/token", url), { method: "POST", body: "x" });
  answered.catch(() => {});
  await once(http, "request");
  const closed = close({ drainMs: 60_000 });
  await handler.close();
  // The server cuts what it does not wait for.
  await new Promise(setImmediate);
  response?.end("token");
  expect(await (await answered).text()).toBe("token");
  await closed;
});

test("requests to a route that wait on a lost connection are forgotten", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const responses: WeakRef<ServerResponse>[] = [];
  const route = {
    paths: ["/token"],
    node: (_: IncomingMessage, response: ServerResponse) => {
      responses.push(new WeakRef(response));
      return Promise.resolve();
    },
  };
  const handler = createStreamableHandler({ getServer: () => server });
  await using listening = await listen(handler, { port: 0, routes: [route] });
  const connection = connect(Number(listening.url.port), "127.0.0.1");
  connection.write("GET /token HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20));
  await expect.poll(() => responses.length).toBe(20);
  const lost = once(connection, "close");
  connection.destroy();
  await lost;
  // The last ones may still be referred to by the platform.
  await expect
    .poll(() => {
      collect();
      return responses.filter((response) => response.deref() !== undefined).length;
    })
    .toBeLessThan(10);
});

test.each(["0.0.0.0", "::", "192.0.2.1", "mcp.example.com"])(
  "T-030b: a handler that admits every client that calls this machine localhost does not listen at %s",
  async (host) => {
    const handler = createStreamableHandler({ getServer: () => server });
    await expect(listen(handler, { port: 0, host })).rejects.toThrow(
      `Other machines can reach ${JSON.stringify(host)}, so give the handler allowedHosts`,
    );
  },
);

test.each([{ allowedHosts: ["localhost"] }, { authenticate: () => undefined }])(
  "T-030b: a handler that says whom it serves may listen for other machines: %o",
  async (options) => {
    const handler = createStreamableHandler({ getServer: () => server, ...options });
    await using listening = await listen(handler, { port: 0, host: "0.0.0.0" });
    expect(listening.url.port).not.toBe("0");
  },
);

test("a request for another path is answered with the path of the endpoint", async () => {
  await using listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  const response = await fetch(new URL("/sse", listening.url));
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("The MCP endpoint is /mcp");
});

test.each(["mcp", "", "//mcp", "/mcp?a=b", "/mcp#a", null])(
  "a path that no request can have is refused: %j",
  async (path) => {
    const handler = createStreamableHandler({ getServer: () => server });
    const expected = 'path must begin with a slash and have no query, such as "/mcp"';
    await expect(listen(handler, { port: 0, path: path as string })).rejects.toThrow(
      new TypeError(`${expected}; got ${JSON.stringify(path)}.`),
    );
  },
);

test.each(["/mcp", "/my tools", "/outils/é", "/a/../b"])(
  "the URL of a server that serves the path %j is served",
  async (path) => {
    const handler = createStreamableHandler({ getServer: () => server });
    await using listening = await listen(handler, { port: 0, path });
    const response = await fetch(listening.url, { headers: { accept: "text/html" } });
    expect(await response.text()).toContain("This is an MCP endpoint");
  },
);

test("a request whose target is a whole URL is served, as RFC 9112 requires", async () => {
  await using listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  const { hostname: host, port, href } = listening.url;
  const headers = { accept: "text/html" };
  const sent = request({ host, port, path: `${href}?a=b`, headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(405);
  response.resume();
});

test("an idle connection stays open for longer than proxies keep it, so that none is closed under a request", async () => {
  await using listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  const { headers } = await fetch(listening.url);
  expect(Number(/^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(120);
});

test("routes are served beside the path, and come first", async () => {
  const handlerFor = (text: string) => ({
    node: (_: IncomingMessage, response: ServerResponse) => {
      response.end(text);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
  const routes = [{ ...handlerFor("metadata"), paths: ["/.well-known/a", "/.well-known/b"] }];
  const endpoint = handlerFor("endpoint") as unknown as Parameters<typeof listen>[0];
  await using listening = await listen(endpoint, {
    port: 0,
    routes: routes as unknown as NonNullable<Parameters<typeof listen>[1]>["routes"],
  });
  const textOf = async (path: string): Promise<string> => (await fetch(new URL(path, listening.url))).text();
  expect(await textOf("/.well-known/b?x=1")).toBe("metadata");
  expect(await textOf("/mcp")).toBe("endpoint");
  expect(await textOf("/.well-known/c")).toContain("Nothing is served here");
});

test.each([
  ["a Server", () => server],
  ["undefined", () => undefined],
])("listen refuses %s instead of a handler, and says what to give", async (name, given) => {
  await expect(listen(given() as never, { port: 0 })).rejects.toThrow(
    `give it createStreamableHandler({ getServer: () => server }), not ${name}`,
  );
});
