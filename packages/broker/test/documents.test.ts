import { expect, test, vi } from "vitest";

import { openBrowser } from "./browser.ts";
import { downstream } from "./downstream.ts";
import { listenAt, startProtected } from "./support.ts";

const id = "https://client.example/oauth.json";
const document = (changes: object = {}): Response =>
  Response.json({
    client_id: id,
    redirect_uris: ["http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
    ...changes,
  });

function refresh(origin: string, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${origin}/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", ...form }),
  });
}

/** An assertion that nobody has signed. */
function assertion(origin: string): Readonly<Record<string, string>> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: id, sub: id, aud: origin, jti: String(Math.random()), exp: Date.now() / 1000 + 60 };
  return {
    client_id: id,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${part({ alg: "ES256", kid: "a" })}.${part(claims)}.${"A".repeat(86)}`,
  };
}

const keyed = {
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_signing_alg: "ES256",
  jwks_uri: "https://victim.example/jwks",
};

test("the keys of a client are fetched once, however many requests name it, and however they fail", async () => {
  const fetched: string[] = [];
  await using server = await startProtected({
    fetchDocument(url) {
      fetched.push(url);
      return Promise.resolve(url === id ? document(keyed) : new Response("down", { status: 500 }));
    },
  });
  for (let count = 0; count < 20; count++) {
    expect((await refresh(server.origin, assertion(server.origin))).status).toBeGreaterThanOrEqual(400);
  }
  expect(fetched).toEqual([id, keyed.jwks_uri]);
});

test("the metadata and the keys of the broker are served, however busy it is", async () => {
  let release: (response: Response) => void = () => {};
  let begun: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    begun = resolve;
  });
  await using server = await startProtected({
    limits: { maxInFlight: 1 },
    fetchDocument() {
      begun();
      return new Promise((resolve) => {
        release = resolve;
      });
    },
  });
  const slow = refresh(server.origin, { client_id: id });
  await asked;
  expect((await refresh(server.origin, { client_id: "nobody" })).status).toBe(503);
  for (const path of ["/jwks", "/.well-known/oauth-authorization-server"]) {
    expect([path, (await fetch(`${server.origin}${path}`)).status]).toEqual([path, 200]);
  }
  release(document());
  await slow;
});

test("one sender that names many clients costs no other sender a new client", async () => {
  await using server = await startProtected({
    addressOf: ({ headers }) => String(headers["x-from"]),
    fetchDocument: (url) => Promise.resolve(url === id ? document() : new Response("none", { status: 404 })),
  });
  const from = async (address: string, client_id: string): Promise<number> => {
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", client_id });
    const init = { method: "POST", headers: { "x-from": address }, body };
    return (await fetch(`${server.origin}/token`, init)).status;
  };
  const statuses: number[] = [];
  for (let count = 0; count < 20; count++) {
    statuses.push(await from("203.0.113.9", `https://a${count}.evil.example/c.json`));
  }
  // The limit grows by one in ten seconds, which a slow computer may take.
  expect(statuses.slice(10).filter((status) => status === 503).length).toBeGreaterThan(4);
  // Its document is fetched: the token is what is wrong.
  expect(await from("198.51.100.7", id)).toBe(400);
});

test("strangers that use up the limits of documents cost no known client its login, and are told to wait", async () => {
  let isUp = true;
  await using server = await startProtected({
    fetchDocument(url) {
      if (url !== id) {
        return Promise.resolve(new Response("none", { status: 404 }));
      }
      return isUp ? Promise.resolve(document()) : Promise.reject(new TypeError("fetch failed"));
    },
  });
  const client = await downstream(server.origin, { clientId: id });
  const { refresh_token } = await client.redeem(
    await client.login(openBrowser((url) => url.includes(":7777/"))),
  );
  let last: Response | undefined;
  // The limit grows while a slow computer sends.
  for (let count = 0; count < 1000 && last?.status !== 503; count++) {
    last = await refresh(server.origin, { client_id: `https://a${count}.evil.example/c.json` });
  }
  expect([last?.status, await last?.json()]).toMatchObject([503, { error: "temporarily_unavailable" }]);
  isUp = false;
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 70_000);
  try {
    expect(await client.token({ grant_type: "refresh_token", refresh_token })).toMatchObject({ status: 200 });
  } finally {
    clock.mockRestore();
  }
});

test("B-011: a metadata document that drips is given up, and its connection is closed", async () => {
  let isClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  await using dripping = await listenAt(() =>
    Promise.resolve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => {
        clearInterval(timer);
        isClosed();
      });
    }),
  );
  await using server = await startProtected({
    fetchDocument: (_, { signal }) => fetch(dripping.origin, { signal: signal ?? null }),
  });
  const client = await downstream(server.origin, { clientId: "https://client.example/oauth.json" });
  const page = await openBrowser(() => true).visit(client.authorizationUrl());
  expect(page.status).toBe(400);
  await closed;
});

test("a metadata document that never comes is given up, although fetchDocument ignores its signal", async () => {
  await using server = await startProtected({ fetchDocument: () => new Promise(() => {}) });
  const client = await downstream(server.origin, { clientId: "https://client.example/oauth.json" });
  const page = await openBrowser(() => true).visit(client.authorizationUrl());
  expect(page.status).toBe(400);
});

test("a page with the status 200 does not replace the document of a known client", async () => {
  let isRepaired = false;
  let isDown = false;
  await using server = await startProtected({
    fetchDocument() {
      if (isDown) {
        return Promise.reject(new TypeError("fetch failed"));
      }
      return Promise.resolve(
        isRepaired
          ? new Response("<html>Maintenance</html>", { headers: { "content-type": "text/html" } })
          : document(),
      );
    },
  });
  const client = await downstream(server.origin, { clientId: id });
  let { refresh_token } = await client.redeem(
    await client.login(openBrowser((url) => url.includes(":7777/"))),
  );
  const now = Date.now();
  const clock = vi.spyOn(Date, "now");
  try {
    for (const later of [70_000, 140_000]) {
      clock.mockImplementation(() => now + later);
      isRepaired = true;
      isDown = later > 100_000;
      const answer = await client.token({ grant_type: "refresh_token", refresh_token });
      expect(answer).toMatchObject({ status: 200 });
      ({ refresh_token } = answer);
    }
  } finally {
    clock.mockRestore();
  }
});
