import { describe, expect, test } from "vitest";

import { setUp } from "./setup.ts";

const askedOf = (servers: ReturnType<typeof setUp>["servers"]): string | null | undefined =>
  servers.of("authorize")[0]?.parameters.get("scope");

describe("the scopes of a login (R-756)", () => {
  test.each([
    ["the scopes that are configured, before all others", ["own"], "challenged", ["supported"], "own"],
    ["the scopes of the challenge", undefined, "challenged more", ["supported"], "challenged more"],
    [
      "the scopes of the resource's metadata, if the challenge names none",
      undefined,
      undefined,
      ["a", "b"],
      "a b",
    ],
    ["no scopes, if no server names any", undefined, undefined, undefined, null],
  ])("are %s", async (_, scopes, scope, supported, expected) => {
    const { servers, provider } = setUp(
      {
        scope,
        resourceMetadata: { scopes_supported: supported },
        metadata: { scopes_supported: ["all", "of", "them"] },
      },
      { scopes },
    );
    await servers.call(provider);
    expect(askedOf(servers)).toBe(expected);
  });

  test.each([
    [{ scopes_supported: ["offline_access"] }, undefined, "notes offline_access", null],
    [
      { scopes_supported: ["offline_access"], subject_types_supported: ["public"] },
      undefined,
      "notes offline_access",
      "consent",
    ],
    [{ scopes_supported: ["offline_access"] }, false, "notes", null],
    [{ scopes_supported: ["other"] }, undefined, "notes", null],
  ])(
    "with the metadata %j and offlineAccess %j are %s, with the prompt %s (R-758)",
    async (metadata, offlineAccess, expected, prompt) => {
      const { servers, provider } = setUp({ scope: "notes", metadata }, { offlineAccess });
      await servers.call(provider);
      expect(askedOf(servers)).toBe(expected);
      expect(servers.of("authorize")[0]?.parameters.get("prompt")).toBe(prompt);
    },
  );

  test("include those that login() is called with", async () => {
    const { servers, provider } = setUp({ scope: "notes" });
    await provider.login({ scopes: ["extra"] });
    expect(askedOf(servers)).toBe("extra");
  });
});

test("a server that requires no authorization is called without credentials, and nothing is discovered (R-720)", async () => {
  const { servers, provider } = setUp();
  servers.script.always("mcp", { status: 200, body: "open" });
  expect((await servers.call(provider)).body).toBe("open");
  expect(servers.requests.map(({ step }) => step)).toEqual(["mcp"]);
  expect(servers.requests[0]?.headers.has("authorization")).toBe(false);
  expect(provider.status.state).toBe("anonymous");
});

test("every request carries the token in its header, and no request to the MCP server carries another token or has one in its URL (R-722, R-759)", async () => {
  const { servers, provider } = setUp();
  await servers.call(provider);
  await servers.call(provider);
  const [, ...calls] = servers.of("mcp");
  expect(calls).toHaveLength(2);
  for (const { headers, url, body } of calls) {
    expect(headers.get("authorization")).toMatch(/^Bearer access-[\w-]+$/);
    expect(`${url.href}${body}${JSON.stringify([...headers])}`).not.toMatch(
      /refresh-|code-|[?&]access_token/,
    );
  }
});
