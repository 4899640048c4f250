import { inspect } from "node:util";

import { expect, test } from "vitest";

import { clientSecret, createOAuth, dpop, memoryStore, type AuthStore } from "../src/client.ts";
import type { Reaction, ScriptedStep } from "../src/testing.ts";
import { setUp } from "./setup.ts";

/**
 * Everything that a program could log: messages, stacks, causes, properties that are not
 * enumerable, statuses and events.
 */
function shown(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== "object" || value === null || seen.has(value)) {
    return String(value);
  }
  seen.add(value);
  const own = Object.getOwnPropertyNames(value).map((name) =>
    shown((value as Record<string, unknown>)[name], seen),
  );
  return [inspect(value, { depth: 10, showHidden: true }), ...own].join("\n");
}

const secrets = /access-|refresh-|code-[\w-]{8}|verifier=|hush-secret|canary|[?&](code|state)=/;

/** Reactions with which a server could make a client print what it has sent or received. */
const provoking: readonly [ScriptedStep, Reaction][] = [
  [
    "token",
    {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "code code-AAAAAAAAAAAAAAAA canary-refresh-token-0123456789",
      },
    },
  ],
  ["token", { status: 400, body: { error: "canary-0123456789abcdef0123", error_description: "x" } }],
  ["token", { status: 500, body: "access-canary" }],
  ["token", { body: { access_token: "access-canary", token_type: "mac" } }],
  ["token", { body: { access_token: "access-canary\u0000", token_type: "Bearer" } }],
  ["token", { body: { access_token: "access-canary", token_type: "Bearer", expires_in: "soon" } }],
  ["token", { body: { access_token: { canary: 1 }, token_type: "Bearer" } }],
  ["token", { drop: "response" }],
  ["token", { drop: "request" }],
  [
    "register",
    { status: 400, body: { error: "invalid_client_metadata", error_description: "canary-0123456789abcdef" } },
  ],
  ["register", { body: { client_id: "canary\u0000", client_secret: "hush-secret" } }],
  [
    "server-metadata",
    { edit: (json) => ({ ...json, token_endpoint: "https://user:canary@as.example/?code=canary" }) },
  ],
  ["server-metadata", { edit: (json) => ({ ...json, authorization_endpoint: "javascript:canary" }) }],
  ["resource-metadata", { drop: "response" }],
];

test("A-071: no token, code, verifier or secret is in an error, a status or a warning (R-766)", async () => {
  for (const [step, reaction] of provoking) {
    for (const proof of [undefined, dpop()]) {
      const { servers, provider, events } = setUp(
        {},
        { proof, server: "https://mcp.example/mcp?key=canary" },
      );
      for (let count = 0; count < 4; count++) {
        servers.script.next(step, reaction);
      }
      const errors: unknown[] = [];
      for (let count = 0; count < 2; count++) {
        errors.push(await servers.call(provider).catch((error: unknown) => error));
      }
      const printed = shown([
        errors,
        provider.status,
        events.filter(({ type }) => type !== "visit"),
        provider.authorizationContext,
      ]);
      expect(printed, `${step} ${JSON.stringify(reaction)}`).not.toMatch(secrets);
    }
  }
});

test("A-071: what goes wrong later shows no secret either: expiry, step-up, the store, a rejected token", async () => {
  const store = memoryStore();
  let isBroken = false;
  const breaking: AuthStore = {
    ...store,
    get: (key) => (isBroken ? Promise.reject(new Error("disk")) : store.get(key)),
  };
  const { servers, provider, options, events, clock } = setUp(
    { scope: "a" },
    {
      store: breaking,
      client: {
        registered: [{ issuer: "https://as.example", clientId: "c", auth: clientSecret("hush-secret") }],
      },
    },
  );
  const errors: unknown[] = [];
  const provoke = async (auth = provider): Promise<void> => {
    errors.push(await servers.call(auth).catch((error: unknown) => error));
  };
  await provoke();
  clock.advance(3_600_001);
  servers.script.next("token", { status: 400, body: { error: "invalid_grant" } });
  await provoke(createOAuth({ ...options, interactive: "onLogin" }));
  servers.script.always("mcp", { status: 401, body: {}, headers: { "www-authenticate": "Bearer" } });
  await provoke();
  await provoke();
  isBroken = true;
  await provoke(createOAuth(options));
  expect(errors).toHaveLength(5);
  expect(shown([errors, provider, provider.status, events])).not.toMatch(secrets);
});

test("A-071: keys of the store are hashes", async () => {
  const keys: string[] = [];
  const store = memoryStore();
  const watching: AuthStore = {
    ...store,
    put(key, value, options) {
      keys.push(key);
      return store.put(key, value, options);
    },
  };
  const { servers, provider } = setUp({}, { store: watching, account: "alice@canary.example" });
  await servers.call(provider);
  expect(keys.length).toBeGreaterThan(2);
  expect(keys.filter((key) => !/^(tokens|registration|flow)\.[\w-]{43}$/.test(key))).toEqual([]);
});

test("A-076: an ID token is ignored, and neither stored nor shown", async () => {
  const written: string[] = [];
  const store = memoryStore();
  const watching: AuthStore = {
    ...store,
    put(key, value, options) {
      written.push(value);
      return store.put(key, value, options);
    },
  };
  const { servers, provider } = setUp({}, { store: watching });
  const claims = (part: unknown): string => btoa(JSON.stringify(part)).replaceAll("=", "");
  const idToken = `${claims({ alg: "none" })}.${claims({ iss: "https://evil.example", sub: "canary" })}.x`;
  servers.script.next("token", { edit: (json) => ({ ...json, id_token: idToken }) });
  expect((await servers.call(provider)).status).toBe(200);
  expect(`${written.join()}${shown(provider.status)}`).not.toContain(idToken);
});

test.each<[string, (json: Record<string, unknown>) => Record<string, unknown>]>([
  ["a missing token type", ({ access_token, refresh_token }) => ({ access_token, refresh_token })],
  ["null for what is absent", (json) => ({ ...json, expires_in: null, refresh_token: null, scope: null })],
  ["a lifetime as a string", (json) => ({ ...json, expires_in: "3600" })],
  ["a lifetime of zero", (json) => ({ ...json, expires_in: 0 })],
  ["a lifetime that is not a number", (json) => ({ ...json, expires_in: false })],
  ["an array of scopes", (json) => ({ ...json, scope: ["a", "b"] })],
  ["an array without scopes", (json) => ({ ...json, scope: [] })],
  ["a token type in lower case", (json) => ({ ...json, token_type: "bearer" })],
])("a token response with %s is understood", async (_, edit) => {
  const { servers, provider } = setUp();
  servers.script.next("token", { edit });
  expect((await servers.call(provider)).status).toBe(200);
  expect(servers.of("authorize")).toHaveLength(1);
});

test("a token response with status 201 is understood", async () => {
  const { servers, provider } = setUp();
  servers.script.next("token", { status: 201, body: { access_token: "access-none", token_type: "Bearer" } });
  servers.script.always("mcp", { status: 200, body: "fine" });
  servers.script.next("mcp", { status: 401, body: {}, headers: { "www-authenticate": "Bearer" } });
  expect((await servers.call(provider)).body).toBe("fine");
});

const rejection = {
  status: 401,
  body: {},
  headers: { "www-authenticate": 'Bearer error="invalid_token"' },
};

test("whoever waits for other credentials is told when rejected tokens may be sent again", async () => {
  const { servers, provider, clock } = setUp();
  servers.script.always("mcp", rejection);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "TOKEN_REJECTED" });
  let wakes = 0;
  provider.changed(() => wakes++);
  const requests = servers.of("token").length;
  for (let minute = 1; minute <= 3; minute++) {
    clock.advance(60_001);
    expect(wakes).toBe(minute);
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "TOKEN_REJECTED" });
  }
  expect(servers.of("token")).toHaveLength(requests);
  // An earlier success wakes too.
  servers.script.always("mcp", undefined);
  expect((await servers.call(provider)).status).toBe(200);
  expect(wakes).toBe(4);
  clock.advance(600_000);
  expect(wakes).toBe(4);
  await provider.close();
});

test("a redirect of the server does not count as an acceptance of tokens", async () => {
  const { servers, provider } = setUp();
  const redirect = { status: 307, body: {}, headers: { location: new URL(servers.server).pathname } };
  servers.script.next("mcp", rejection, redirect, rejection, redirect, rejection, redirect, rejection);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "TOKEN_REJECTED" });
  expect(servers.of("token")).toHaveLength(2);
});

test("a server that rejects fresh tokens is asked for no more than two sets, and not again for a minute", async () => {
  const { servers, provider, clock } = setUp();
  servers.script.always("mcp", rejection);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "TOKEN_REJECTED", status: 401 });
  expect(servers.of("token")).toHaveLength(2);
  expect(servers.of("authorize")).toHaveLength(1);
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "TOKEN_REJECTED" });
  expect(servers.of("token")).toHaveLength(2);
  servers.script.always("mcp", undefined);
  clock.advance(60_001);
  expect((await servers.call(provider)).status).toBe(200);
});
