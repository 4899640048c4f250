import { describe, expect, test } from "vitest";

import {
  authorizationCode,
  createOAuth,
  isAuthError,
  memoryStore,
  type OAuthOptions,
} from "../src/client.ts";
import { createScriptedAuthorization, type Reaction, type ReceivedRequest } from "../src/testing.ts";
import { passing, setUp } from "./setup.ts";

const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  return isAuthError(outcome) ? outcome.code : outcome;
};
const placesOf = (requests: readonly ReceivedRequest[]): string[] => requests.map(({ url }) => url.href);
const notFound = { status: 404, body: "none" };
const wellKnown = "https://mcp.example/.well-known/oauth-protected-resource";

describe("the metadata of the resource", () => {
  test("are looked for where the challenge says, then below the path, then at the root (R-724, R-734)", async () => {
    const { servers, provider } = setUp();
    servers.script.always("resource-metadata", notFound);
    const headers = {
      "www-authenticate": `Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/custom"`,
    };
    servers.script.next("mcp", { status: 401, body: {}, headers });
    await servers.call(provider).catch(() => {});
    expect(placesOf(servers.of("resource-metadata"))).toEqual([
      `${wellKnown}/custom`,
      `${wellKnown}/mcp`,
      wellKnown,
    ]);
  });

  test.each([404, 405, 410, 403, 400])(
    "are absent after status %d, and the server of 2025-03-26 is its own authorization server (R-741)",
    async (status) => {
      const { servers, provider } = setUp({
        issuer: "https://mcp.example",
        metadata: { code_challenge_methods_supported: undefined },
      });
      servers.script.always("resource-metadata", { status, body: "none" });
      expect((await servers.call(provider)).status).toBe(200);
      expect(servers.of("authorize")[0]?.parameters.has("resource")).toBe(false);
      expect(servers.of("server-metadata")[0]?.headers.get("mcp-protocol-version")).toBe("2025-03-26");
    },
  );

  test("a server of 2025-03-26 without any metadata has its endpoints at the origin (R-741)", async () => {
    const { servers, provider } = setUp({ issuer: "https://mcp.example" });
    servers.script.always("resource-metadata", notFound);
    servers.script.always("server-metadata", notFound);
    expect((await servers.call(provider)).status).toBe(200);
    expect(servers.of("authorize")[0]?.url.href).toMatch(/^https:\/\/mcp\.example\/authorize\?/);
  });

  test.each<[string, Reaction]>([
    ["503", { status: 503, body: "down" }],
    ["a lost connection", { drop: "response" }],
    ["429", { status: 429, body: {} }],
    ["401", { status: 401, body: {} }],
    ["HTML", { body: "<html>" }],
  ])("A-075: after %s the fallback to the origin is not taken", async (_, reaction) => {
    const { servers, provider } = setUp({ issuer: "https://mcp.example" });
    servers.script.always("resource-metadata", reaction);
    expect(await codeOf(servers.call(provider))).toBe("AUTH_TEMPORARY");
    expect([...servers.of("authorize"), ...servers.of("register"), ...servers.of("server-metadata")]).toEqual(
      [],
    );
    expect(servers.of("resource-metadata")).toHaveLength(4);
  });

  test("an address that fails once is tried again, and one that fails twice is passed over", async () => {
    const { servers, provider } = setUp();
    servers.script.next("resource-metadata", { status: 500, body: "" });
    expect((await servers.call(provider)).status).toBe(200);
  });

  test.each([
    ["A-008: of another origin", "https://evil.example/mcp", false],
    ["A-009: of the whole origin, in the document of a path", "https://mcp.example", false],
    ["A-010: of a sibling with the same beginning", "https://mcp.example/mcp-evil", false],
    ["of a path below the endpoint", "https://mcp.example/mcp/deeper", false],
    ["with a fragment", "https://mcp.example/mcp#x", false],
    ["with one terminating slash", "https://mcp.example/mcp/", true],
    ["with a default port and capitals in its host", "https://MCP.example:443/mcp", true],
  ])("a resource %s is judged by its own address (R-736)", async (_, resource, isAccepted) => {
    const { servers, provider } = setUp({ resourceMetadata: { resource } });
    const code = await codeOf(servers.call(provider));
    expect(code).toEqual(isAccepted ? { status: 200, body: "ok" } : "RESOURCE_MISMATCH");
    expect(servers.of("authorize").map(({ parameters }) => parameters.get("resource"))).toEqual(
      isAccepted ? [resource] : [],
    );
    expect(servers.of("token").map(({ parameters }) => parameters.get("resource"))).toEqual(
      isAccepted ? [resource] : [],
    );
  });

  test("A-009: a document at an address of its own cannot claim the origin, the document of the root can", async () => {
    for (const [at, isAccepted] of [
      ["/a/meta.json", false],
      ["/.well-known/oauth-protected-resource", true],
    ] as const) {
      const { servers, provider, options } = setUp();
      const origin = { resource: "https://mcp.example", authorization_servers: [servers.issuer] };
      const fetch: OAuthOptions["fetch"] = async (input, init) =>
        input.pathname === at
          ? new Response(JSON.stringify(origin), { headers: { "content-type": "application/json" } })
          : servers.fetch(input, init);
      servers.script.always("resource-metadata", notFound);
      const headers = { "www-authenticate": `Bearer resource_metadata="https://mcp.example${at}"` };
      servers.script.next("mcp", { status: 401, body: {}, headers });
      await provider.close();
      const outcome = await codeOf(servers.call(createOAuth({ ...options, fetch })));
      expect(outcome === "RESOURCE_MISMATCH").toBe(!isAccepted);
      expect(servers.of("authorize").map(({ parameters }) => parameters.get("resource"))).toEqual(
        isAccepted ? ["https://mcp.example"] : [],
      );
    }
  });

  test('resource "omit" is used only if it is configured, and warns; a tenant needs it for Entra', async () => {
    const { servers, provider, events } = setUp({}, { resource: "omit" });
    await servers.call(provider);
    expect(servers.of("authorize")[0]?.parameters.has("resource")).toBe(false);
    expect(servers.of("token")[0]?.parameters.has("resource")).toBe(false);
    expect(events.some((event) => event.type === "warning" && event.message.includes("resource"))).toBe(true);
  });

  test("a configured issuer is used where the MCP server names none, and its metadata are checked all the same", async () => {
    const { servers, provider } = setUp({}, { issuer: "https://as.example", legacyFallback: false });
    servers.script.always("resource-metadata", notFound);
    expect((await servers.call(provider)).status).toBe(200);
    expect(servers.of("authorize")[0]?.parameters.get("resource")).toBe(servers.server);
  });

  test("without metadata, issuer and fallback there is no authorization server", async () => {
    const { servers, provider } = setUp({}, { legacyFallback: false });
    servers.script.always("resource-metadata", notFound);
    expect(await codeOf(servers.call(provider))).toBe("NO_AUTHORIZATION_SERVER");
    const none = setUp({ resourceMetadata: { authorization_servers: [] } });
    expect(await codeOf(none.servers.call(none.provider))).toBe("NO_AUTHORIZATION_SERVER");
  });
});

describe("the metadata of the authorization server", () => {
  test.each([
    [
      "https://as.example/tenant",
      [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration",
      ],
    ],
    [
      "https://as.example/tenant/",
      [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration",
      ],
    ],
    ["https://as.example", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
  ])("of %s are looked for in this order (R-737, R-738)", async (issuer, paths) => {
    const { servers, provider } = setUp({ resourceMetadata: { authorization_servers: [issuer] } });
    servers.script.always("server-metadata", notFound);
    expect(await codeOf(servers.call(provider))).toBe("NO_AUTHORIZATION_SERVER");
    expect(servers.of("server-metadata").map(({ url }) => url.pathname)).toEqual(paths);
  });

  test.each([
    "https://evil.example",
    "https://as.example/other",
    "https://as.example/%7Btenantid%7D",
    "https://AS.example",
    7,
    undefined,
  ])("A-006: metadata that name the issuer %j are not used (R-739)", async (issuer) => {
    const { servers, provider } = setUp({ metadata: { issuer } });
    expect(["ISSUER_MISMATCH", "METADATA_INVALID"]).toContain(await codeOf(servers.call(provider)));
    expect([...servers.of("authorize"), ...servers.of("register"), ...servers.of("token")]).toEqual([]);
  });

  test("A-007: a slash is tolerated with a warning, and the document's spelling is recorded; strictness rejects it", async () => {
    const scripted = { metadata: { issuer: "https://as.example/" } };
    const { servers, provider, events } = setUp(scripted);
    expect((await servers.call(provider)).status).toBe(200);
    expect(provider.status.issuer).toBe("https://as.example/");
    expect(
      events.some((event) => event.type === "warning" && event.message.includes("https://as.example/")),
    ).toBe(true);
    const strict = setUp(scripted, { strictness: "strict" });
    expect(await codeOf(strict.servers.call(strict.provider))).toBe("ISSUER_MISMATCH");
    expect(strict.servers.of("authorize")).toEqual([]);
  });

  test("a slash after an issuer with a path is never tolerated", async () => {
    const { servers, provider } = setUp({
      issuer: "https://as.example/t",
      metadata: { issuer: "https://as.example/t/" },
    });
    expect(await codeOf(servers.call(provider))).toBe("ISSUER_MISMATCH");
  });

  test.each([[undefined], [[]], [["plain"]]])(
    "A-021: with the PKCE methods %j no login starts (R-749)",
    async (methods) => {
      const { servers, provider } = setUp({ metadata: { code_challenge_methods_supported: methods } });
      expect(await codeOf(servers.call(provider))).toBe("PKCE_UNSUPPORTED");
      expect(servers.of("authorize")).toEqual([]);
    },
  );

  test("an issuer that supports PKCE without declaring it can be named; one that declares only plain cannot (R-749)", async () => {
    for (const [methods, expected] of [
      [undefined, 200],
      [["plain"], "PKCE_UNSUPPORTED"],
    ] as const) {
      const { servers, provider } = setUp(
        { metadata: { code_challenge_methods_supported: methods } },
        (scripted) => ({
          grant: authorizationCode({ ...scripted.browser(), assumePkce: [scripted.issuer] }),
        }),
      );
      const outcome = await codeOf(servers.call(provider));
      expect(outcome).toEqual(expected === 200 ? { status: 200, body: "ok" } : expected);
    }
  });

  test("of several authorization servers the first with valid metadata is used, or the selected one (R-735)", async () => {
    const { servers, provider } = setUp({
      resourceMetadata: { authorization_servers: ["https://mcp.example/none", "https://as.example"] },
    });
    expect((await servers.call(provider)).status).toBe(200);
    expect(provider.status.issuer).toBe("https://as.example");
    const chosen = setUp({}, { selectIssuer: () => "https://elsewhere.example" });
    expect(await codeOf(chosen.servers.call(chosen.provider))).toBe("NO_AUTHORIZATION_SERVER");
  });
});

describe("A-016, A-017: documents without end", () => {
  const endless =
    (chunk: string, everyMs = 0): OAuthOptions["fetch"] =>
    async () => {
      const bytes = new TextEncoder().encode(chunk);
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, everyMs));
            controller.enqueue(bytes);
          },
        }),
        { headers: { "content-type": "application/json" } },
      );
    };

  test("metadata of any size are read up to a limit", async () => {
    const { provider } = setUp({}, { fetch: endless(`{"a":"${"x".repeat(65_536)}`) });
    expect(await codeOf(provider.login())).toBe("AUTH_TEMPORARY");
  });

  test("metadata that never end are given up after five seconds", async () => {
    const { provider, clock } = setUp({}, { fetch: endless(" ", 5) });
    const at = clock.now();
    expect(await codeOf(passing(clock, provider.login(), 500))).toMatch(/AUTH_TEMPORARY|LIMIT/);
    expect(clock.now() - at).toBeLessThanOrEqual(25_000);
  });

  test("nesting is limited before it is parsed", async () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const { servers, provider } = setUp();
    servers.script.always("resource-metadata", {
      body: deep,
      headers: { "content-type": "application/json" },
    });
    expect(await codeOf(servers.call(provider))).toBe("AUTH_TEMPORARY");
  });

  test("a redirect is followed twice, to the same origin only", async () => {
    for (const [target, expected] of [
      ["https://mcp.example/loop", 3],
      ["https://evil.example/x", 1],
    ] as const) {
      const seen: string[] = [];
      const { provider } = setUp(
        {},
        {
          fetch: async (input) => {
            seen.push(input.href);
            return new Response(null, { status: 302, headers: { location: target } });
          },
        },
      );
      expect(await codeOf(provider.login())).toBe("AUTH_TEMPORARY");
      expect(seen.some((url) => url.includes("evil"))).toBe(false);
      // Two documents, each tried twice.
      expect(seen).toHaveLength(4 * expected);
    }
  });

  test("a discovery takes at most twelve requests and twenty seconds", async () => {
    const many = Array.from({ length: 8 }, (_, index) => `https://as.example/${index}`);
    const { servers, provider } = setUp({ resourceMetadata: { authorization_servers: many } });
    servers.script.always("server-metadata", notFound);
    await servers.call(provider).catch(() => {});
    expect(servers.requests.length - servers.of("mcp").length).toBeLessThanOrEqual(12);
  });
});

test("A-020: two MCP servers with one authorization server have tokens of their own", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { store });
  await servers.call(provider);
  const others = createScriptedAuthorization({ clock, server: "https://other.example/mcp" });
  const other = createOAuth({
    ...options,
    server: others.server,
    fetch: others.fetch,
    interactive: "onLogin",
  });
  expect(await codeOf(others.call(other))).toBe("NEEDS_USER");
  expect(others.of("mcp")[0]?.headers.has("authorization")).toBe(false);
});

test("A-019: tokens are sent to the origin of the MCP server only", async () => {
  const { servers, provider } = setUp();
  await servers.call(provider);
  const signal = new AbortController().signal;
  expect(
    provider.headers({ url: new URL("https://evil.example/mcp"), method: "POST", signal }),
  ).toBeUndefined();
  expect(provider.headers({ url: new URL(servers.server), method: "POST", signal })).toHaveProperty(
    "authorization",
  );
});
