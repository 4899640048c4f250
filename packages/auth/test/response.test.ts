import { describe, expect, test, vi } from "vitest";

import {
  authorizationCode,
  createOAuth,
  isAuthError,
  memoryStore,
  type AuthError,
  type OAuthOptions,
} from "../src/client.ts";
import { createSharedStore } from "../src/testing.ts";
import { createTestClock, passing, setUp, visited } from "./setup.ts";

const redirectUri = "https://host.example/callback";

/** A web host: the two halves of a login may run in two processes. */
function webHost(scripted: Parameters<typeof setUp>[0] = {}, oauth: Partial<OAuthOptions> = {}) {
  const store = memoryStore();
  const all = setUp(scripted, {
    store,
    grant: authorizationCode({ redirectUri }),
    interactive: "onLogin",
    ...oauth,
  });
  return {
    ...all,
    store,
    async begun() {
      const { url, state } = await all.provider.begin();
      return { state, url, parameters: await all.servers.visit(url) };
    },
    callback: (parameters: URLSearchParams) => new URL(`${redirectUri}?${parameters.toString()}`),
  };
}

const failureOf = async (promise: Promise<unknown>): Promise<AuthError> => {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  if (!isAuthError(outcome)) {
    throw new Error(`expected an AuthError, got ${String(outcome)}`);
  }
  return outcome;
};

test("a login is started by one process and finished by another, and its code is redeemed once (R-753)", async () => {
  const { servers, options, begun, callback } = webHost();
  const { parameters } = await begun();
  const other = createOAuth(options);
  await other.finish(callback(parameters));
  expect((await servers.call(other)).status).toBe(200);
  expect((await failureOf(other.finish(callback(parameters)))).code).toBe("RESPONSE_INVALID");
  expect(servers.of("token")).toHaveLength(1);
});

describe("iss (R-754, R-755)", () => {
  test.each([
    ["A-001: an honest issuer that the response was not expected from", "https://honest.example", true],
    ["A-002: no issuer although it is declared", undefined, true],
    ["A-003: a wrong issuer that is not declared", "https://evil.example", false],
    ["A-004: the issuer with a slash", "https://as.example/", true],
    ["the issuer in capitals", "https://AS.example", true],
    ["the issuer with its default port", "https://as.example:443", false],
  ])("%s: the code is not used and the description is not shown", async (_, iss, isDeclared) => {
    const { servers, provider, begun, callback } = webHost({
      metadata: { authorization_response_iss_parameter_supported: isDeclared },
    });
    const { parameters } = await begun();
    parameters.delete("iss");
    if (iss !== undefined) {
      parameters.set("iss", iss);
    }
    parameters.set("error", "access_denied");
    parameters.set("error_description", "visit evil.example");
    const error = await failureOf(provider.finish(callback(parameters)));
    expect(error.code).toBe("ISSUER_MISMATCH");
    expect(error.message).not.toContain("visit");
    expect(servers.of("token")).toEqual([]);
  });

  test("A-005: an issuer that is there twice refuses the response", async () => {
    const { servers, provider, begun, callback } = webHost();
    const { parameters } = await begun();
    parameters.append("iss", "https://evil.example");
    expect((await failureOf(provider.finish(callback(parameters)))).code).toBe("RESPONSE_INVALID");
    expect(servers.of("token")).toEqual([]);
  });

  test("no issuer that was not declared, and the right issuer, are accepted", async () => {
    for (const isDeclared of [true, false]) {
      const { provider, begun, callback } = webHost({
        metadata: { authorization_response_iss_parameter_supported: isDeclared },
      });
      const { parameters } = await begun();
      if (!isDeclared) {
        parameters.delete("iss");
      }
      await expect(provider.finish(callback(parameters))).resolves.toBeUndefined();
    }
  });
});

describe("state (R-751)", () => {
  test.each([
    ["missing", (parameters: URLSearchParams) => parameters.delete("state")],
    ["wrong", (parameters: URLSearchParams) => parameters.set("state", "A".repeat(43))],
    ["there twice", (parameters: URLSearchParams) => parameters.append("state", "x")],
  ])(
    "A-023: a response whose state is %s is ignored, and the real response still succeeds",
    async (_, change) => {
      const { servers, provider, begun, callback } = webHost();
      const { parameters } = await begun();
      const forged = new URLSearchParams(parameters);
      change(forged);
      expect((await failureOf(provider.finish(callback(forged)))).code).toBe("RESPONSE_INVALID");
      await provider.finish(callback(parameters));
      expect((await servers.call(provider)).status).toBe(200);
    },
  );

  test("A-074, A-023: a response for another account or another server is refused, and its own still succeeds", async () => {
    const { servers, provider, options, begun, callback } = webHost({}, { account: "alice" });
    const { parameters } = await begun();
    for (const other of [
      createOAuth({ ...options, account: "bob" }),
      createOAuth({ ...options, server: "https://mcp.example/other" }),
    ]) {
      expect((await failureOf(other.finish(callback(parameters)))).code).toBe("RESPONSE_INVALID");
    }
    await provider.finish(callback(parameters));
    await expect(servers.call(createOAuth({ ...options, account: "bob" }))).rejects.toMatchObject({
      code: "NEEDS_USER",
    });
  });

  test("A-024: a login that the attacker started in another store is unknown here", async () => {
    const victim = webHost();
    const attacker = webHost();
    const { parameters } = await attacker.begun();
    expect((await failureOf(victim.provider.finish(victim.callback(parameters)))).code).toBe(
      "RESPONSE_INVALID",
    );
    expect(victim.servers.of("token")).toEqual([]);
  });

  test("A-025: ten thousand bogus responses change nothing and leave nothing behind", async () => {
    const { servers, provider, begun } = webHost();
    const { parameters } = await begun();
    for (let count = 0; count < 10_000; count++) {
      await provider.finish(new URLSearchParams({ code: "x", state: String(count) })).catch(() => {});
    }
    await provider.finish(parameters);
    expect((await servers.call(provider)).status).toBe(200);
  });
});

test.each([
  ["a fragment", (url: URL) => void (url.hash = "access_token=x")],
  ["a response of another mode", (url: URL) => url.searchParams.set("response", "a.b.c")],
  ["an access token", (url: URL) => url.searchParams.set("access_token", "x")],
  ["two codes", (url: URL) => url.searchParams.append("code", "x")],
])("A-031: a response with %s is refused", async (_, change) => {
  const { servers, provider, begun, callback } = webHost();
  const url = callback((await begun()).parameters);
  change(url);
  expect((await failureOf(provider.finish(url))).code).toBe("RESPONSE_INVALID");
  expect(servers.of("token")).toEqual([]);
});

test.each([
  ["A-032: of a megabyte", "x".repeat(2 ** 20)],
  ["with control characters", "a\u0000b"],
  ["without any character", ""],
])("a code %s is refused", async (_, code) => {
  const { servers, provider, begun, callback } = webHost();
  const { parameters } = await begun();
  parameters.set("code", code);
  expect((await failureOf(provider.finish(callback(parameters)))).code).toBe("RESPONSE_INVALID");
  expect(servers.of("token")).toEqual([]);
});

test("A-011: the code is sent to the token endpoint that was recorded, whatever the metadata name now", async () => {
  const { servers, provider, options, begun, callback } = webHost();
  const { parameters } = await begun();
  servers.script.always("resource-metadata", {
    edit: (json) => ({ ...json, authorization_servers: ["https://evil.example"] }),
  });
  servers.script.always("server-metadata", {
    edit: (json) => ({ ...json, token_endpoint: "https://evil.example/token" }),
  });
  await createOAuth(options).finish(callback(parameters));
  await provider.close();
  expect(servers.requests.some(({ url }) => url.host === "evil.example")).toBe(false);
});

test.each([
  ["access_denied", "USER_DENIED", 401],
  ["invalid_scope", "SCOPE_DENIED", 403],
  ["server_error", "AUTH_TEMPORARY", undefined],
  ["unheard_of", "TOKEN_INVALID", undefined],
])("A-030: the error %s is typed, and its description cannot do harm", async (error, code, status) => {
  const { provider, begun, callback } = webHost();
  const { parameters } = await begun();
  parameters.delete("code");
  parameters.set("error", error);
  parameters.set("error_description", `\u001b[2J<script>alert(1)</script>${"x".repeat(5000)}`);
  const failure = await failureOf(provider.finish(callback(parameters)));
  expect(failure).toMatchObject({ code, status });
  expect(failure.message).toMatch(/^[\x20-\x7e…]*$/);
  expect(failure.message.length).toBeLessThan(600);
});

test("a login that nobody completes ends after ten minutes, and its late response is refused", async () => {
  const { servers, provider, clock, events } = setUp({}, (scripted) => ({
    grant: authorizationCode({ receiver: scripted.browser().receiver }),
  }));
  const login = failureOf(provider.login());
  await visited(events);
  expect((await passing(clock, login, 60_000)).code).toBe("CALLBACK_TIMEOUT");
  const host = webHost();
  const { parameters } = await host.begun();
  host.clock.advance(600_001);
  expect((await failureOf(host.provider.finish(host.callback(parameters)))).code).toBe("CALLBACK_TIMEOUT");
  expect([...servers.of("token"), ...host.servers.of("token")]).toEqual([]);
});

test("a login that failed leaves nothing of itself in the store", async () => {
  const shared = createSharedStore(createTestClock());
  const { servers, provider, clock, events } = setUp({}, (scripted) => ({
    store: shared.start(),
    interactive: "onLogin",
    grant: authorizationCode({ receiver: scripted.browser().receiver }),
  }));
  const login = failureOf(provider.login());
  await visited(events);
  expect((await passing(clock, login, 60_000)).code).toBe("CALLBACK_TIMEOUT");
  expect(servers.of("register")).toHaveLength(1);
  expect([...shared.values().keys()].filter((key) => key.startsWith("flow."))).toEqual([]);
});

test("a logout ends the logins that were started before it", async () => {
  const { servers, provider, begun, callback } = webHost();
  const { parameters } = await begun();
  await provider.logout();
  expect((await failureOf(provider.finish(callback(parameters)))).code).toBe("RESPONSE_INVALID");
  expect(servers.of("token")).toEqual([]);
});

test("parallel logins share one browser window, and a caller that cancels ends the login that it started", async () => {
  const opened: string[] = [];
  const { servers, provider } = setUp({}, (scripted) => {
    const { receiver, open } = scripted.browser();
    return {
      grant: authorizationCode({
        receiver,
        open(url) {
          opened.push(url.host);
          open(url);
        },
      }),
    };
  });
  await Promise.all([provider.login(), provider.login(), servers.call(provider)]);
  expect(opened).toEqual(["as.example"]);
  const own = new AbortController();
  const silent = setUp({}, (scripted) => ({
    grant: authorizationCode({ receiver: scripted.browser().receiver, open: () => {} }),
  }));
  const login = silent.provider.login({ signal: own.signal });
  own.abort(new Error("left"));
  await expect(login).rejects.toThrow("left");
  await vi.waitFor(() => expect(silent.provider.status.state).toBe("needs-user"));
});

test("A-046: a browser opens only by a login: nothing else that a server sends is opened", async () => {
  const opened: string[] = [];
  const { servers, provider } = setUp({}, (scripted) => ({
    interactive: "onLogin",
    grant: authorizationCode({
      receiver: scripted.browser().receiver,
      open: ({ href }) => void opened.push(href),
    }),
  }));
  const headers = {
    "www-authenticate":
      'Bearer error="invalid_token", error_description="open https://evil.example", authorization_uri="https://evil.example"',
    location: "https://evil.example",
  };
  servers.script.next("mcp", { status: 401, body: {}, headers });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "NEEDS_USER" });
  servers.script.next("mcp", { status: 403, body: {}, headers });
  await servers.call(provider);
  expect(opened).toEqual([]);
});

test("the URL of the login has each parameter once, and keeps the query of the endpoint (R-748, R-750, R-751)", async () => {
  const { servers, begun } = webHost({
    metadata: { authorization_endpoint: "https://as.example/authorize?tenant=1&state=fixed" },
  });
  const { url, state } = await begun();
  const { searchParams } = new URL(url.href);
  expect(searchParams.get("tenant")).toBe("1");
  expect(searchParams.getAll("state")).toEqual([state]);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    resource: servers.server,
    redirect_uri: redirectUri,
  });
  expect(searchParams.has("scope")).toBe(false);
});

test("a pushed request keeps its parameters out of the browser", async () => {
  const { servers, provider, begun, callback } = webHost({
    metadata: { pushed_authorization_request_endpoint: "https://as.example/push" },
  });
  servers.script.next("push", { status: 201, body: { request_uri: "urn:request:1", expires_in: 60 } });
  const { url } = await provider.begin();
  expect([...new URL(url.href).searchParams.keys()]).toEqual(["client_id", "request_uri"]);
  expect(servers.of("push")[0]?.parameters.get("code_challenge")).toMatch(/^[\w-]{43}$/);
  servers.script.next("push", { status: 400, body: { error: "invalid_request" } });
  expect((await failureOf(begun())).code).toBe("TOKEN_INVALID");
  void callback;
});
