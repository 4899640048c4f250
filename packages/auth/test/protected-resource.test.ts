import {
  createGuard,
  dpopProofs,
  protectedResource,
  scopePolicy,
  type ProtectedResourceOptions,
} from "@tenon/auth/server";
import { expect, test } from "vitest";

import { requestWith, resource } from "./issuer.ts";

const required = { resource, authorizationServers: ["https://login.example.com"] };

async function get(
  options: Partial<ProtectedResourceOptions>,
  path: string,
  init: RequestInit & { readonly host?: string } = {},
): Promise<Response | undefined> {
  const headers = { host: init.host ?? "notes.example.com", ...(init.headers as object) };
  return protectedResource({ ...required, ...options }).fetch(
    new Request(`https://notes.example.com${path}`, { ...init, headers }),
  );
}

test("the metadata is served at the path of the endpoint and at the root, readable for every page (R-723, R-724)", async () => {
  const options = { scopes: ["notes:read"], name: "Notes", documentation: "https://notes.example.com/docs" };
  for (const path of ["", "/mcp", "/mcp?x=1"]) {
    const response = await get(options, `/.well-known/oauth-protected-resource${path}`);
    expect(response?.status).toBe(200);
    expect(response?.headers.get("access-control-allow-origin")).toBe("*");
    expect(response?.headers.get("cache-control")).toBe("max-age=3600");
    expect(await response?.json()).toEqual({
      resource,
      authorization_servers: ["https://login.example.com"],
      scopes_supported: ["notes:read"],
      bearer_methods_supported: ["header"],
      resource_name: "Notes",
      resource_documentation: "https://notes.example.com/docs",
    });
  }
});

test("R-732: the document and the challenge name the least scopes, and not those of single operations", async () => {
  const least = ["notes:read"];
  const policy = scopePolicy({ default: least, tools: { delete_note: ["notes:write"] } });
  const guard = createGuard({ resource, verify: () => ({ rejected: "invalid" }), scopes: least, policy });
  const refused = await guard.authenticate(requestWith({}));
  const challenge = refused instanceof Response ? refused.headers.get("www-authenticate") : undefined;
  expect(challenge).toContain('scope="notes:read"');
  expect(challenge).not.toContain("notes:write");
  const path = "/.well-known/oauth-protected-resource/mcp";
  expect(await (await get({ scopes: least }, path))?.json()).toMatchObject({ scopes_supported: least });
  expect(await (await get({}, path))?.json()).not.toHaveProperty("scopes_supported");
});

test("the resource is published exactly as it was configured", async () => {
  const response = await get(
    { resource: "https://Notes.example.com:443/mcp" },
    "/.well-known/oauth-protected-resource",
  );
  expect(await response?.json()).toMatchObject({ resource: "https://Notes.example.com:443/mcp" });
});

test("other paths are left to the endpoint, the root too where it belongs to another resource", async () => {
  expect(await get({}, "/mcp")).toBeUndefined();
  expect(await get({ rootAlias: false }, "/.well-known/oauth-protected-resource")).toBeUndefined();
  const { paths, metadataUrl, serve } = protectedResource(required);
  expect(paths).toEqual([
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource",
  ]);
  expect(metadataUrl).toBe("https://notes.example.com/.well-known/oauth-protected-resource/mcp");
  expect((await serve(new Request("https://notes.example.com/other"))).status).toBe(404);
});

test("a resource without a path has one document", () => {
  const { paths, metadataUrl } = protectedResource({ ...required, resource: "https://notes.example.com" });
  expect(paths).toEqual(["/.well-known/oauth-protected-resource"]);
  expect(metadataUrl).toBe("https://notes.example.com/.well-known/oauth-protected-resource");
});

test("HEAD, preflights and other methods are answered, and foreign hosts refused", async () => {
  const path = "/.well-known/oauth-protected-resource";
  const head = await get({}, path, { method: "HEAD" });
  expect([head?.status, await head?.text()]).toEqual([200, ""]);
  const preflight = await get({}, path, { method: "OPTIONS" });
  expect([preflight?.status, preflight?.headers.get("access-control-allow-methods")]).toEqual([
    204,
    "GET, HEAD, OPTIONS",
  ]);
  expect((await get({}, path, { method: "POST" }))?.status).toBe(405);
  expect((await get({}, path, { host: "evil.example" }))?.status).toBe(403);
  expect((await get({ allowedHosts: ["proxy.internal"] }, path, { host: "proxy.internal" }))?.status).toBe(
    200,
  );
  expect((await get({}, path, { headers: { origin: "https://any.example" } }))?.status).toBe(200);
});

test("what the guard accepts as proofs is advertised", async () => {
  const response = await get(
    { dpop: dpopProofs({ required: true, algorithms: ["ES256"] }) },
    "/.well-known/oauth-protected-resource",
  );
  expect(await response?.json()).toMatchObject({
    dpop_signing_alg_values_supported: ["ES256"],
    dpop_bound_access_tokens_required: true,
  });
});

test("clients of 2025-03-26 find the metadata of the authorization server at the origin (R-741)", async () => {
  const legacyAuthorizationServer = {
    issuer: "https://login.example.com",
    token_endpoint: "https://login.example.com/t",
  };
  const response = await get({ legacyAuthorizationServer }, "/.well-known/oauth-authorization-server");
  expect(await response?.json()).toEqual(legacyAuthorizationServer);
});

test.each([
  [{ authorizationServers: [] }, "at least one issuer"],
  [{ authorizationServers: ["http://login.example.com"] }, "https"],
  [{ resource: "http://notes.example.com" }, "https"],
  [{ scopes: ["offline_access"] }, "offline_access"],
  [{ documentation: "javascript:alert(1)" }, "documentation"],
  [{ scope: ["x"] }, "Did you mean scopes?"],
])("metadata that breaks a rule is not made: %j (R-723, R-731)", (options, message) => {
  expect(() => protectedResource({ ...required, ...options })).toThrow(message);
});
