import { createHash } from "node:crypto";

import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify, type JWTPayload } from "jose";
import { expect, test } from "vitest";

import { createOAuth, dpop, memoryStore } from "../src/client.ts";
import type { ReceivedRequest } from "../src/testing.ts";
import { setUp } from "./setup.ts";

/**
 * Verifies the proof of a request as a server does, and returns its claims with the thumbprint of
 * its key.
 */
async function proofOf({ headers }: ReceivedRequest): Promise<JWTPayload & { jkt: string }> {
  const { payload, protectedHeader } = await jwtVerify(headers.get("dpop") ?? "", EmbeddedJWK, {
    typ: "dpop+jwt",
    algorithms: ["ES256", "Ed25519"],
  });
  expect(Object.keys(protectedHeader.jwk ?? {})).not.toContain("d");
  return { ...payload, jkt: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) };
}

test("token requests and calls carry a proof each, for their own method, address and token", async () => {
  const { servers, provider } = setUp({}, { proof: dpop() });
  await servers.call(provider);
  await servers.call(provider);
  const [token] = servers.of("token");
  const [, first, second] = servers.of("mcp");
  if (token === undefined || first === undefined || second === undefined) {
    throw new Error("Requests are missing.");
  }
  const proofs = await Promise.all([token, first, second].map(proofOf));
  expect(proofs.map(({ htm, htu }) => [htm, htu])).toEqual([
    ["POST", `${servers.issuer}/token`],
    ["POST", servers.server],
    ["POST", servers.server],
  ]);
  expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(3);
  expect(new Set(proofs.map(({ jkt }) => jkt)).size).toBe(1);
  expect(servers.of("authorize")[0]?.parameters.get("dpop_jkt")).toBe(proofs[0]?.jkt);
  const [scheme, accessToken = ""] = (first.headers.get("authorization") ?? "").split(" ");
  expect(scheme).toBe("DPoP");
  expect(proofs[1]?.["ath"]).toBe(createHash("sha256").update(accessToken).digest("base64url"));
});

test("nonces of the authorization server and of the MCP server are kept apart and survive responses without one", async () => {
  const { servers, provider } = setUp({}, { proof: dpop() });
  servers.script.next("token", {
    status: 400,
    body: { error: "use_dpop_nonce" },
    headers: { "dpop-nonce": "of-as" },
  });
  const challenge = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "of-rs" };
  servers.script.next("mcp", {}, { status: 401, body: {}, headers: challenge });
  expect((await servers.call(provider)).status).toBe(200);
  expect((await servers.call(provider)).status).toBe(200);
  const nonces = async (step: "token" | "mcp"): Promise<unknown[]> =>
    Promise.all(
      servers
        .of(step)
        .filter(({ headers }) => headers.has("dpop"))
        .map(async (each) => (await proofOf(each))["nonce"]),
    );
  expect(await nonces("token")).toEqual([undefined, "of-as"]);
  expect(await nonces("mcp")).toEqual([undefined, "of-rs", "of-rs"]);
});

test("A-053: endless demands for a nonce are sent at most three times", async () => {
  const { servers, provider } = setUp({}, { proof: dpop() });
  await servers.call(provider);
  const before = servers.of("mcp").length;
  let count = 0;
  servers.script.always("mcp", {
    status: 401,
    body: {},
    headers: {
      "www-authenticate": 'DPoP error="use_dpop_nonce"',
      get "dpop-nonce"() {
        return `nonce-${++count}`;
      },
    },
  });
  await servers.call(provider).catch(() => {});
  expect(servers.of("mcp").length - before).toBeLessThanOrEqual(3);
  expect(servers.of("token")).toHaveLength(1);
});

test("A-053: a token endpoint that demands nonces for ever is asked at most three times", async () => {
  const { servers, provider } = setUp({}, { proof: dpop() });
  servers.script.always("token", {
    status: 400,
    body: { error: "use_dpop_nonce" },
    headers: { "dpop-nonce": "again" },
  });
  await expect(servers.call(provider)).rejects.toThrow();
  expect(servers.of("token").length).toBeLessThanOrEqual(3);
});

test("A-054: a request that is sent again has another proof", async () => {
  const { servers, provider } = setUp({}, { proof: dpop() });
  await servers.call(provider);
  servers.tokens.expireAll();
  await servers.call(provider);
  const proofs = await Promise.all(
    servers
      .of("mcp")
      .filter(({ headers }) => headers.has("dpop"))
      .map(proofOf),
  );
  expect(proofs).toHaveLength(3);
  expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(3);
});

test("a bearer token in place of a bound one is a downgrade, unless it is allowed", async () => {
  const { servers, provider } = setUp({}, { proof: dpop() });
  const edit = (json: Record<string, unknown>): Record<string, unknown> => ({
    ...json,
    token_type: "Bearer",
  });
  servers.script.next("token", { edit });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "DOWNGRADE" });
  expect(provider.status.generation).toBe(0);
  const lenient = setUp({}, { proof: dpop({ allowBearer: true }) });
  lenient.servers.script.next("token", { edit });
  expect((await lenient.servers.call(lenient.provider)).status).toBe(200);
});

test.each([
  ["they are not bound", dpop(), "Bearer", "DOWNGRADE"],
  ["they are bound, which was not requested", undefined, "DPoP", "TOKEN_INVALID"],
])("tokens of a login that are refused because %s are revoked", async (_, proof, type, code) => {
  const { servers, provider } = setUp({}, { proof, interactive: "onLogin" });
  servers.script.next("token", { edit: (json) => ({ ...json, token_type: type }) });
  await expect(provider.login()).rejects.toMatchObject({ code });
  await provider.close();
  const hints = servers.of("revoke").map(({ parameters }) => parameters.get("token_type_hint"));
  expect(hints).toEqual(["refresh_token", "access_token"]);
  expect(provider.status).toMatchObject({ state: "needs-user", generation: 0 });
});

test("refreshed tokens that are refused are not revoked, because the login could end", async () => {
  const { servers, provider, clock } = setUp({ rotates: false }, { proof: dpop(), interactive: "onLogin" });
  await provider.login();
  clock.advance(3_600_001);
  servers.script.next("token", { edit: (json) => ({ ...json, token_type: "Bearer" }) });
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "DOWNGRADE" });
  clock.advance(120_000);
  expect((await servers.call(provider)).status).toBe(200);
  await provider.close();
  expect(servers.of("revoke")).toEqual([]);
});

test("a server that does not support the algorithm is not asked for bound tokens", async () => {
  const { servers, provider } = setUp(
    { metadata: { dpop_signing_alg_values_supported: ["RS256"] } },
    { proof: dpop() },
  );
  await expect(servers.call(provider)).rejects.toMatchObject({ code: "DOWNGRADE" });
  expect(servers.of("authorize")).toEqual([]);
});

test("a shared store keeps the key, so that another process can use and refresh the tokens", async () => {
  const store = memoryStore();
  const { servers, provider, options, clock } = setUp({}, { proof: dpop(), store });
  await servers.call(provider);
  const other = createOAuth({ ...options, interactive: "onLogin" });
  expect((await servers.call(other)).status).toBe(200);
  clock.advance(3_600_001);
  expect((await servers.call(other)).status).toBe(200);
  const thumbprints = await Promise.all(servers.of("token").map(async (each) => (await proofOf(each)).jkt));
  expect(new Set(thumbprints).size).toBe(1);
});

test("a stored token whose key is lost, or whose client has no proofs any more, is not sent", async () => {
  const store = memoryStore();
  const { servers, provider, options } = setUp({}, { proof: dpop(), store });
  await servers.call(provider);
  const { proof: _, ...bearer } = options;
  await expect(servers.call(createOAuth({ ...bearer, interactive: "onLogin" }))).rejects.toMatchObject({
    code: "NEEDS_USER",
  });
  expect(servers.of("mcp").at(-1)?.headers.has("authorization")).toBe(false);
});
