import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import {
  createHttpClient,
  platformWire,
  readText,
  type AuthChallenge,
  type AuthObservation,
  type AuthProvider,
  type AuthRequest,
  type HeadersLike,
  type HttpClient,
} from "@tenon/http/client";
import { expect, test } from "vitest";

interface Listening extends AsyncDisposable {
  readonly url: URL;
}

async function listen(listener: RequestListener): Promise<Listening> {
  const http = createServer(listener);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** A provider whose headers differ each time, as proofs of possession do. */
function proving(rest: Omit<AuthProvider, "headers"> = {}): AuthProvider & { readonly asked: AuthRequest[] } {
  const asked: AuthRequest[] = [];
  return {
    ...rest,
    asked,
    headers(request) {
      asked.push(request);
      return { dpop: `${asked.length} ${request.url.pathname}` };
    },
  };
}

const never = new AbortController().signal;

async function get(http: HttpClient, url: URL): Promise<number> {
  const response = await http({ url, method: "GET", headers: {}, signal: never });
  await readText(response, 1000);
  return response.status;
}

test("each hop of a redirect is sent with headers made for its own URL", async () => {
  const seen: unknown[] = [];
  await using server = await listen((request, response) => {
    seen.push(request.headers["dpop"]);
    if (request.url === "/mcp") {
      response.writeHead(307, { location: "/elsewhere" }).end();
    } else {
      response.end("done");
    }
  });
  const auth = proving();
  expect(await get(createHttpClient({ wire: platformWire, auth }), server.url)).toBe(200);
  expect(seen).toEqual(["1 /mcp", "2 /elsewhere"]);
});

test("A-054: a request that is resent after its connection was reset carries new headers", async () => {
  const seen: unknown[] = [];
  await using server = await listen((request, response) => {
    seen.push(request.headers["dpop"]);
    if (seen.length === 6) {
      request.socket.resetAndDestroy();
    } else {
      response.end("done");
    }
  });
  const http = createHttpClient({ wire: platformWire, auth: proving() });
  // The pool may open a second socket before it has the first one back.
  for (let before = 1; before <= 5; before++) {
    await get(http, server.url);
  }
  expect(await get(http, server.url)).toBe(200);
  expect(seen.slice(5)).toEqual(["6 /mcp", "7 /mcp"]);
});

test("a refused request is sent again at most three times, and the provider sees what was refused, how and how often", async () => {
  const returned: (HeadersLike | undefined)[] = [];
  const challenges: AuthChallenge[] = [];
  let sends = 0;
  await using server = await listen((_, response) => {
    sends++;
    response.writeHead(401, { "www-authenticate": "DPoP", "dpop-nonce": `nonce ${sends}` }).end();
  });
  const auth: AuthProvider = {
    headers() {
      const headers = { authorization: "DPoP token" };
      returned.push(headers);
      return headers;
    },
    refused(challenge) {
      challenges.push(challenge);
      return true;
    },
  };
  expect(await get(createHttpClient({ wire: platformWire, auth }), server.url)).toBe(401);
  expect(sends).toBe(4);
  expect(challenges.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  expect(challenges.map(({ sent }) => returned.indexOf(sent))).toEqual([0, 1, 2, 3]);
  expect(challenges.map(({ header }) => header("dpop-nonce"))).toEqual([
    "nonce 1",
    "nonce 2",
    "nonce 3",
    "nonce 4",
  ]);
  expect(challenges[0]).toMatchObject({ status: 401, challenge: "DPoP", method: "GET", url: server.url });
});

test("a refusal after a redirect names the URL that refused", async () => {
  await using server = await listen((request, response) => {
    if (request.url === "/mcp") {
      response.writeHead(308, { location: "/guarded" }).end();
    } else {
      response.writeHead(401).end();
    }
  });
  const urls: string[] = [];
  const auth = proving({
    refused({ url }) {
      urls.push(url.pathname);
      return false;
    },
  });
  expect(await get(createHttpClient({ wire: platformWire, auth }), server.url)).toBe(401);
  expect(urls).toEqual(["/guarded"]);
});

test("a provider sees every response, refusals and redirects included, before it is asked about a refusal", async () => {
  let sends = 0;
  await using server = await listen((_, response) => {
    sends++;
    const statuses = [308, 401, 200];
    response.setHeader("dpop-nonce", `nonce ${sends}`);
    response.setHeader("location", "/next");
    response.writeHead(statuses[sends - 1] ?? 200).end();
  });
  const seen: unknown[] = [];
  const auth = proving({
    observed: ({ url, status, header }: AuthObservation) =>
      void seen.push([url.pathname, status, header("dpop-nonce")]),
    refused: ({ status }) => {
      seen.push(["refused", status]);
      return true;
    },
  });
  expect(await get(createHttpClient({ wire: platformWire, auth }), server.url)).toBe(200);
  expect(seen).toEqual([
    ["/mcp", 308, "nonce 1"],
    ["/next", 401, "nonce 2"],
    ["refused", 401],
    ["/mcp", 200, "nonce 3"],
  ]);
});

test("an exception of observed fails its request, and gives the response up", async () => {
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  await using server = await listen((_, response) => {
    response.on("close", close);
    response.writeHead(200).write("a body without an end");
  });
  const auth = proving({
    observed: () => {
      throw new Error("no nonce for me");
    },
  });
  const http = createHttpClient({ wire: platformWire, auth });
  await expect(get(http, server.url)).rejects.toThrow("no nonce for me");
  await closed;
});

test("the connection of a refusal is free while the provider waits for a user, and its text is kept", async () => {
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  await using server = await listen((_, response) => {
    response.on("close", close);
    response.writeHead(401).write("Log in first.");
  });
  const auth = proving({
    refused: async () => {
      await closed;
      return false;
    },
  });
  const http = createHttpClient({ wire: platformWire, auth });
  const response = await http({ url: server.url, method: "GET", headers: {}, signal: never });
  expect(response.status).toBe(401);
  expect(await readText(response, 1000)).toBe("Log in first.");
});

test("all refusals of one request are reported with the same operation, and those of another with another", async () => {
  await using server = await listen((_, response) => response.writeHead(401).end());
  const operations: object[] = [];
  const auth = proving({
    refused: ({ operation, attempt }) => {
      operations.push(operation);
      return attempt < 2;
    },
  });
  const http = createHttpClient({ wire: platformWire, auth });
  await get(http, server.url);
  await get(http, server.url);
  expect(operations).toHaveLength(4);
  expect(new Set(operations).size).toBe(2);
  expect(operations[0]).toBe(operations[1]);
});

test("only true sends a refused request again", async () => {
  let sends = 0;
  await using server = await listen((_, response) => {
    sends++;
    response.writeHead(401).end();
  });
  const auth = proving({ refused: () => Promise.resolve("yes" as unknown as boolean) });
  expect(await get(createHttpClient({ wire: platformWire, auth }), server.url)).toBe(401);
  expect(sends).toBe(1);
});
