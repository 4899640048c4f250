import { loopbackReceiver } from "@tenon/auth/node";
import { describe, expect, test } from "vitest";

import {
  authorizationCode,
  clientSecret,
  createOAuth,
  isAuthError,
  memoryStore,
  type AuthStore,
  type OAuthOptions,
} from "../src/client.ts";
import { createScriptedAuthorization } from "../src/testing.ts";
import { setUp } from "./setup.ts";

const issuer = "https://as.example";
const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  return isAuthError(outcome) ? outcome.code : outcome;
};
const ok = { status: 200, body: "ok" };
const clientsOf = (servers: ReturnType<typeof setUp>["servers"]): (string | null)[] =>
  servers.of("authorize").map(({ parameters }) => parameters.get("client_id"));

describe("the order of registration (R-742)", () => {
  const document = { url: "https://host.example/client.json" };
  const registered = [{ issuer, clientId: "registered", auth: clientSecret("s") }];
  const supported = { client_id_metadata_document_supported: true };
  test.each<[string, Record<string, unknown>, OAuthOptions["client"], string | undefined]>([
    ["a client that was registered in advance (R-745)", supported, { registered, document }, "registered"],
    ["a document where it is supported (R-744)", supported, { document }, "https://host.example/client.json"],
    ["a registration where documents are not supported", {}, { document }, "client-1"],
    [
      "a registration where the document's method is not",
      { ...supported, token_endpoint_auth_methods_supported: ["client_secret_basic"] },
      { document },
      "client-1",
    ],
    [
      "a registration where the document does not have the redirect URI",
      supported,
      { document: { ...document, redirectUris: ["https://host.example/x"] } },
      "client-1",
    ],
    [
      "a document that has the redirect URI without its port",
      supported,
      { document: { ...document, redirectUris: ["http://127.0.0.1/callback"] } },
      document.url,
    ],
    [
      "a client that is requested from the user",
      { registration_endpoint: undefined },
      { requestClient: (at) => ({ issuer: at, clientId: "entered" }) },
      "entered",
    ],
    ["nothing", { registration_endpoint: undefined }, {}, undefined],
    ["nothing, if registration is switched off", {}, { metadata: false }, undefined],
  ])("uses %s", async (_, metadata, client, expected) => {
    const { servers, provider } = setUp({ metadata }, { client });
    const outcome = await codeOf(servers.call(provider));
    expect(outcome).toEqual(expected === undefined ? "REGISTRATION_UNAVAILABLE" : ok);
    expect(clientsOf(servers)).toEqual(expected === undefined ? [] : [expected]);
  });
});

test("a registration says what the client is, and lists the redirect URI with and without its port (R-743, R-746, R-758)", async () => {
  const { servers, provider } = setUp({}, { client: { metadata: { name: "Notes", softwareId: "s1" } } });
  await servers.call(provider);
  expect(JSON.parse(servers.of("register")[0]?.body ?? "")).toEqual({
    client_name: "Notes",
    software_id: "s1",
    application_type: "native",
    redirect_uris: ["http://127.0.0.1:49152/callback", "http://127.0.0.1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  const web = setUp({}, { grant: authorizationCode({ redirectUri: "https://host.example/callback" }) });
  await web.provider.begin();
  expect(JSON.parse(web.servers.of("register")[0]?.body ?? "")).toMatchObject({
    application_type: "web",
    redirect_uris: ["https://host.example/callback"],
  });
});

test.each([
  ["client_secret_basic", "authorization", "Basic"],
  ["client_secret_post", "client_secret", "the-secret"],
])("a client that was registered with %s uses it", async (method, where, expected) => {
  const { servers, provider } = setUp({ metadata: { token_endpoint_auth_methods_supported: [method] } });
  servers.script.next("register", { edit: (json) => ({ ...json, client_secret: "the-secret" }) });
  expect(await codeOf(servers.call(provider))).toEqual(ok);
  const [request] = servers.of("token");
  expect(`${request?.headers.get(where)}${request?.parameters.get(where)}`).toContain(expected);
});

test("a secret that comes with the method none is not sent", async () => {
  const { servers, provider } = setUp();
  servers.script.next("register", { edit: (json) => ({ ...json, client_secret: "surprise" }) });
  await servers.call(provider);
  expect(servers.of("token")[0]?.parameters.has("client_secret")).toBe(false);
  expect(servers.of("token")[0]?.headers.has("authorization")).toBe(false);
});

test("a registration is stored for its issuer and used by later processes", async () => {
  const store = memoryStore();
  const { servers, provider, options } = setUp({}, { store });
  await servers.call(provider);
  await provider.logout();
  await servers.call(createOAuth(options));
  expect(servers.of("register")).toHaveLength(1);
  expect(clientsOf(servers)).toEqual(["client-1", "client-1"]);
});

test("A-012: after a move to another authorization server nothing of the first is seen there (R-735, R-747)", async () => {
  const { servers, provider, options, clock } = setUp({}, {});
  const second = createScriptedAuthorization({ clock, issuer: "https://as2.example" });
  second.script.always("register", { edit: (json) => ({ ...json, client_id: "second" }) });
  let hasMoved = false;
  const fetch: OAuthOptions["fetch"] = async (input, init) =>
    input.host === "as2.example" || (hasMoved && input.host === "mcp.example")
      ? second.fetch(input, init)
      : servers.fetch(input, init);
  const moving = createOAuth({ ...options, fetch, grant: authorizationCode(redirecting()) });
  await provider.close();
  function redirecting() {
    const { receiver } = servers.browser();
    let settle: ((parameters: URLSearchParams) => void) | undefined;
    return {
      receiver: {
        open: async (signal: AbortSignal, expected: Parameters<typeof receiver.open>[1]) => ({
          ...(await receiver.open(signal, expected)),
          response: new Promise<URLSearchParams>((resolve) => {
            settle = resolve;
          }),
        }),
      },
      open: async (url: Parameters<typeof servers.visit>[0]) => {
        settle?.(await (url.host === "as2.example" ? second : servers).visit(url));
      },
    };
  }
  expect((await servers.call(moving)).status).toBe(200);
  hasMoved = true;
  servers.tokens.endAll();
  const first = servers.requests.length;
  expect((await second.call(moving)).status).toBe(200);
  expect(moving.status.issuer).toBe("https://as2.example");
  const seen = JSON.stringify(
    second.requests.map(({ url, body, step }) => (step === "mcp" ? "" : `${url.href} ${body}`)),
  );
  expect(seen).not.toMatch(/client-1|refresh-|access-/);
  // The first server is asked once whether the login is over.
  expect(servers.requests.length - first).toBeLessThanOrEqual(1);
});

test.each([
  ["foreign redirect URIs", { redirect_uris: ["https://evil.example/callback"] }],
  ["a secret of a megabyte", { client_secret: "s".repeat(2 ** 20) }],
  ["a secret of 5000 characters", { client_secret: "s".repeat(5000) }],
  ["no identifier", { client_id: undefined }],
  ["an identifier with control characters", { client_id: "a\nb" }],
  ["the identifier of a client that is registered elsewhere", { client_id: "elsewhere" }],
])("A-068: a registration with %s is refused", async (_, change) => {
  const { servers, provider } = setUp(
    {},
    {
      client: { metadata: {}, registered: [{ issuer: "https://other.example", clientId: "elsewhere" }] },
    },
  );
  servers.script.next("register", { edit: (json) => ({ ...json, ...change }) });
  expect(["REGISTRATION_REJECTED", "AUTH_TEMPORARY"]).toContain(await codeOf(servers.call(provider)));
  expect([...servers.of("authorize"), ...servers.of("token")]).toEqual([]);
});

test("a rejected redirect URI is tried once in the other spelling of loopback (R-746)", async () => {
  const hosts: (string | undefined)[] = [];
  const { servers, provider } = setUp({}, (scripted) => {
    const { receiver, open } = scripted.browser();
    return {
      grant: authorizationCode({
        open,
        receiver: {
          async open(signal, expected) {
            hosts.push(expected.host);
            const own = await receiver.open(signal, expected);
            return expected.host === undefined
              ? own
              : { ...own, redirectUri: "http://localhost:49152/callback" };
          },
        },
      }),
    };
  });
  servers.script.next("register", { status: 400, body: { error: "invalid_redirect_uri" } });
  expect(await codeOf(servers.call(provider))).toEqual(ok);
  expect(hosts).toEqual([undefined, "localhost"]);
  const again = setUp();
  again.servers.script.always("register", { status: 400, body: { error: "invalid_redirect_uri" } });
  expect(await codeOf(again.servers.call(again.provider))).toBe("REGISTRATION_REJECTED");
  expect(again.servers.of("register")).toHaveLength(2);
});

test("a server that forgot to serve its metadata is told apart from one that rejects the client", async () => {
  const { servers, provider } = setUp({ issuer: "https://mcp.example" });
  const notFound = { status: 404, body: "not found" };
  servers.script.always("resource-metadata", notFound);
  servers.script.always("server-metadata", notFound);
  servers.script.always("register", notFound);
  await expect(provider.login()).rejects.toMatchObject({
    code: "REGISTRATION_REJECTED",
    message: expect.stringContaining("Serve protectedResource."),
  });
  const named = setUp();
  named.servers.script.always("register", notFound);
  await expect(named.provider.login()).rejects.toMatchObject({
    message: expect.stringContaining("The authorization server rejected the registration with status 404."),
  });
});

test("a client registers at most three times an hour with one server", async () => {
  const store = memoryStore();
  const forgetful: AuthStore = {
    ...store,
    put: (key, value, options) =>
      key.startsWith("registration.") ? Promise.resolve(1) : store.put(key, value, options),
  };
  const { servers, provider } = setUp({}, { store: forgetful });
  for (let count = 0; count < 5; count++) {
    await provider.login().catch(() => {});
  }
  expect(servers.of("register")).toHaveLength(3);
  expect(await codeOf(provider.login())).toBe("LIMIT");
});

test("registrations that failed do not count: the first login after an outage succeeds", async () => {
  const { servers, provider } = setUp();
  servers.script.always("register", { status: 503, body: "" });
  for (let count = 0; count < 5; count++) {
    expect(await codeOf(provider.login())).toBe("AUTH_TEMPORARY");
  }
  servers.script.always("register", undefined);
  await provider.login();
  expect((await servers.call(provider)).status).toBe(200);
});

test("a server that rejects 127.0.0.1 can be logged in to any number of times", async () => {
  const { servers, provider } = setUp({}, (scripted) => ({
    grant: authorizationCode({
      receiver: loopbackReceiver(),
      async open({ href }) {
        const { headers } = await scripted.fetch(new URL(href), { method: "GET" });
        await fetch(headers.get("location") ?? "");
      },
    }),
    async fetch(input, init) {
      const isRejected = typeof init.body === "string" && init.body.includes("http://127.0.0.1");
      return isRejected && input.pathname === "/register"
        ? Response.json({ error: "invalid_redirect_uri" }, { status: 400 })
        : scripted.fetch(input, init);
    },
  }));
  for (let count = 0; count < 5; count++) {
    await provider.login();
  }
  expect(servers.of("register")).toHaveLength(1);
});

test("an expired secret leads to another registration", async () => {
  const { servers, provider, clock } = setUp({
    metadata: { token_endpoint_auth_methods_supported: ["client_secret_basic"] },
  });
  const expires = Math.floor(clock.date() / 1000) + 60;
  servers.script.next("register", {
    edit: (json) => ({ ...json, client_secret: "s", client_secret_expires_at: expires }),
  });
  await servers.call(provider);
  clock.advance(61_000);
  await provider.login();
  expect(servers.of("register")).toHaveLength(2);
});

describe("logout", () => {
  test("revokes the refresh token, then the access token, and deletes the tokens but not the registration", async () => {
    const { servers, provider } = setUp({}, { interactive: "onLogin" });
    await provider.login();
    let calls = 0;
    provider.changed(() => calls++);
    await provider.logout();
    expect(servers.of("revoke").map(({ parameters }) => parameters.get("token_type_hint"))).toEqual([
      "refresh_token",
      "access_token",
    ]);
    expect(provider.status.state).toBe("anonymous");
    expect(calls).toBe(1);
    expect(await codeOf(servers.call(provider))).toBe("NEEDS_USER");
    await provider.login();
    expect(servers.of("register")).toHaveLength(1);
  });

  test("succeeds without the authorization server, and forget deletes the registration at both", async () => {
    const { servers, provider, events } = setUp();
    servers.script.next("register", {
      edit: (json) => ({
        ...json,
        registration_client_uri: `${issuer}/register/1`,
        registration_access_token: "manage",
      }),
    });
    await provider.login();
    servers.script.always("revoke", { status: 503, body: "" });
    await provider.logout({ forget: true });
    expect(events.some(({ type }) => type === "warning")).toBe(true);
    const deletion = servers.requests.find(({ method }) => method === "DELETE");
    expect(deletion?.headers.get("authorization")).toBe("Bearer manage");
    await provider.login();
    expect(servers.of("register")).toHaveLength(2);
  });

  test("a 401 of the MCP server revokes nothing", async () => {
    const { servers, provider } = setUp();
    await servers.call(provider);
    servers.tokens.expireAll();
    await servers.call(provider);
    expect(servers.of("revoke")).toEqual([]);
  });
});
