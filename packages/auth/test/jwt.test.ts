import { jwt, type JwtOptions } from "@tenon/auth/jwt";
import { createGuard } from "@tenon/auth/server";
import type { AuthInfo } from "@tenon/protocol";
import { SignJWT, UnsecuredJWT, type JWTPayload } from "jose";
import { expect, test, vi } from "vitest";

import { bearer, resource, startIssuer, type Issuer } from "./issuer.ts";

function guardFor(
  issuer: Issuer,
  options: Partial<JwtOptions> = {},
  onError: (error: unknown) => void = () => {},
) {
  return createGuard({ resource, verify: jwt({ issuer: issuer.url, ...options }), onError });
}

/** The status with which a guard refuses a token, or the identity. */
async function outcome(guard: ReturnType<typeof guardFor>, token: string): Promise<number | AuthInfo> {
  const answer = await guard.authenticate(bearer(token));
  return answer instanceof Response ? answer.status : (answer as AuthInfo);
}

test("a token of the issuer identifies its user, by keys that the metadata of the issuer names (R-726)", async () => {
  await using issuer = await startIssuer();
  const guard = guardFor(issuer);
  const token = await issuer.sign({ client_id: "editor", scope: "notes:read notes:write", org: "acme" });
  expect(await outcome(guard, token)).toMatchObject({
    principal: JSON.stringify([issuer.url, "ada", "editor"]),
    issuer: issuer.url,
    subject: "ada",
    clientId: "editor",
    scopes: ["notes:read", "notes:write"],
    audience: [resource],
    claims: { org: "acme" },
  });
  await outcome(guard, await issuer.sign({ sub: "bob" }));
  expect(issuer.requests.get("/jwks")).toBe(1);
});

const now = Math.floor(Date.now() / 1000);
const day = 86_400;

test.each<[string, JWTPayload, Readonly<Record<string, unknown>>?]>([
  ["A-055: another audience", { aud: "https://other.example/mcp" }],
  ["A-055: audiences without this server", { aud: ["https://other.example", `${resource}/`] }],
  ["no audience", { aud: undefined as never }],
  ["A-056: the type of an ID token", {}, { typ: "JWT" }],
  ["A-056: no type", {}, { typ: undefined }],
  ["A-059: expired", { exp: now - day }],
  ["A-059: not yet valid", { nbf: now + day }],
  ["A-059: issued in the future", { iat: now + day }],
  ["A-059: no expiry", { exp: undefined as never }],
  ["A-059: an expiry that is a string", { exp: String(now + day) as never }],
  ["A-059: an expiry beyond all time", { exp: 2 ** 53 }],
  ["another issuer", { iss: "https://evil.example" }],
  ["no subject", { sub: undefined as never }],
  ["a subject that is a number", { sub: 7 as never }],
  ["A-057: a critical header that is not known", {}, { crit: ["x"], x: 1 }],
  ["A-057: a kid that is a path", {}, { kid: "../../etc/passwd" }],
  ["A-057: a kid that is SQL", {}, { kid: "' OR 1=1 --" }],
  ["bound to a key, at a guard without DPoP", { cnf: { jkt: "abc" } }],
  ["a binding that cannot be read", { cnf: "abc" }],
])("a token is refused with 401: %s", async (_, claims, header) => {
  await using issuer = await startIssuer();
  let token: string;
  try {
    token = await issuer.sign(claims, header);
  } catch {
    // The signer refuses critical headers that it does not know: written by hand.
    const genuine = await issuer.sign(claims);
    const head = btoa(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid: "first", ...header }));
    token = genuine.replace(/^[^.]*/, head.replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_"));
  }
  expect(await outcome(guardFor(issuer), token)).toBe(401);
});

test("A-057: no algorithm, and a symmetric one with the public key, are refused", async () => {
  await using issuer = await startIssuer("RS256");
  const guard = guardFor(issuer);
  const claims = { iss: issuer.url, sub: "ada", aud: resource, exp: now + 300 };
  expect(await outcome(guard, new UnsecuredJWT(claims).encode())).toBe(401);
  const publicKey = new TextEncoder().encode(JSON.stringify(issuer.publicJwk));
  const forged = await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "first" })
    .sign(publicKey);
  expect(await outcome(guard, forged)).toBe(401);
  expect(() => jwt({ issuer: issuer.url, algorithms: ["HS256" as never] })).toThrow("algorithms");
});

test("A-057: keys that a token brings along or names by a URL are not used", async () => {
  await using issuer = await startIssuer();
  await using attacker = await startIssuer();
  const guard = guardFor(issuer);
  const claims = { iss: issuer.url };
  for (const header of [
    { jwk: attacker.publicJwk },
    { jku: `${attacker.url}/jwks` },
    { x5u: `${attacker.url}/x` },
  ]) {
    expect(await outcome(guard, await attacker.sign(claims, header))).toBe(401);
  }
  expect(attacker.requests.size).toBe(0);
});

test.each(["", ".", "..", "a.b.c", "e30.e30.e30", "no token at all".replaceAll(" ", "")])(
  "what is not a JWT is refused with 401, or 400 where it is no token: %j",
  async (token) => {
    await using issuer = await startIssuer();
    expect([400, 401]).toContain(await outcome(guardFor(issuer), token));
  },
);

test("A-056: where any type is accepted, what looks like an ID token is refused", async () => {
  await using issuer = await startIssuer();
  const guard = guardFor(issuer, { typ: "any", rolesClaim: "roles" });
  const plain = { typ: "JWT" };
  const accepted = await issuer.sign(
    { scp: ["a"], scope: undefined as never, roles: ["Notes.Admin"], azp: "web" },
    plain,
  );
  expect(await outcome(guard, accepted)).toMatchObject({ scopes: ["a", "Notes.Admin"], clientId: "web" });
  expect(await outcome(guard, await issuer.sign({ nonce: "n" }, plain))).toBe(401);
  expect(await outcome(guard, await issuer.sign({ at_hash: "h" }, plain))).toBe(401);
});

test("the issuer of a token only chooses among those that are configured", async () => {
  await using one = await startIssuer();
  await using other = await startIssuer();
  await using stranger = await startIssuer();
  const guard = createGuard({ resource, verify: jwt([{ issuer: one.url }, { issuer: other.url }]) });
  expect(await outcome(guard, await other.sign())).toMatchObject({ issuer: other.url });
  expect(await outcome(guard, await one.sign({ iss: other.url }))).toBe(401);
  expect(await outcome(guard, await stranger.sign())).toBe(401);
  expect(stranger.requests.size).toBe(0);
});

test("onRejected of the guard gets the code of the error and the claim, and never the token", async () => {
  await using issuer = await startIssuer();
  const reasons: unknown[] = [];
  const guard = createGuard({
    resource,
    verify: jwt({ issuer: issuer.url }),
    onRejected: ({ reason }) => reasons.push(reason),
  });
  const past = Math.floor(Date.now() / 1000) - 3600;
  const tokens = [
    await issuer.sign({ iss: "https://other.example" }),
    await issuer.sign({ exp: past }),
    await issuer.sign({ aud: "https://other.example" }),
    "canary",
  ];
  for (const token of tokens) {
    expect(await outcome(guard, token)).toBe(401);
  }
  expect(reasons).toEqual([
    "ERR_JWT_CLAIM_VALIDATION_FAILED iss",
    "ERR_JWT_EXPIRED",
    "audience",
    "ERR_JWS_INVALID",
  ]);
});

test("A-058: however many tokens name an unknown key, the keys are fetched once in 30 seconds", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await using issuer = await startIssuer();
    const guard = guardFor(issuer);
    await outcome(guard, await issuer.sign());
    vi.advanceTimersByTime(30_000);
    const unknown = await Promise.all(
      Array.from({ length: 50 }, (_, index) => issuer.sign({}, { kid: `made-up-${index}` })),
    );
    for (const token of unknown) {
      expect(await outcome(guard, token)).toBe(401);
    }
    expect(issuer.requests.get("/jwks")).toBe(2);
    // A key that was added since is found after the cooldown.
    issuer.answers.set("/jwks", () => ({ keys: [{ ...issuer.publicJwk, kid: "second" }] }));
    vi.advanceTimersByTime(30_000);
    expect(await outcome(guard, await issuer.sign({}, { kid: "second" }))).toMatchObject({ subject: "ada" });
  } finally {
    vi.useRealTimers();
  }
});

test("A-060: while the keys cannot be fetched, known ones work for an hour and others get 503", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await using issuer = await startIssuer();
    const errors: unknown[] = [];
    const guard = guardFor(issuer, {}, (error) => errors.push(error));
    await outcome(guard, await issuer.sign());
    issuer.answers.set("/jwks", () => 500);
    vi.advanceTimersByTime(600_001);
    expect(await outcome(guard, await issuer.sign({ sub: "bob" }))).toMatchObject({ subject: "bob" });
    expect(await outcome(guard, await issuer.sign({}, { kid: "unknown" }))).toBe(503);
    vi.advanceTimersByTime(3_600_000);
    expect(await outcome(guard, await issuer.sign({ sub: "eve" }))).toBe(503);
    expect(errors).toMatchObject([
      { message: `The keys of ${issuer.url} cannot be fetched.` },
      { message: `The keys of ${issuer.url} cannot be fetched.` },
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test.each<[string, (issuer: Issuer) => void]>([
  ["no metadata", ({ answers }) => answers.delete("/.well-known/oauth-authorization-server")],
  [
    "metadata of another issuer",
    ({ answers, url }) =>
      answers.set("/.well-known/oauth-authorization-server", () => ({
        issuer: "https://evil.example",
        jwks_uri: `${url}/jwks`,
      })),
  ],
  [
    "A-015: keys at an address of the internal network",
    ({ answers, url }) =>
      answers.set("/.well-known/oauth-authorization-server", () => ({
        issuer: url,
        jwks_uri: "http://169.254.169.254/latest",
      })),
  ],
  ["keys of more than 256 KiB", ({ answers }) => answers.set("/jwks", () => "x".repeat(300_000))],
  ["keys that are not JSON", ({ answers }) => answers.set("/jwks", () => "<html>")],
  ["keys without an array", ({ answers }) => answers.set("/jwks", () => ({ keys: {} }))],
])("a failure of the issuer is 503, not a failure of the token: %s", async (_, break_) => {
  await using issuer = await startIssuer();
  break_(issuer);
  expect(await outcome(guardFor(issuer), await issuer.sign())).toBe(503);
});

test("metadata of an issuer with a path is found in all three places (R-737)", async () => {
  await using issuer = await startIssuer();
  const tenant = `${issuer.url}/tenant`;
  issuer.answers.set("/tenant/.well-known/openid-configuration", () => ({
    issuer: tenant,
    jwks_uri: `${issuer.url}/jwks`,
  }));
  const guard = createGuard({ resource, verify: jwt({ issuer: tenant }) });
  expect(await outcome(guard, await issuer.sign({ iss: tenant }))).toMatchObject({ issuer: tenant });
  expect([...issuer.requests.keys()].slice(0, 3)).toEqual([
    "/.well-known/oauth-authorization-server/tenant",
    "/.well-known/openid-configuration/tenant",
    "/tenant/.well-known/openid-configuration",
  ]);
});

test.each([
  [{ issuer: "http://login.example.com" }, "issuer of jwt"],
  [{ issuer: "https://a.example", jwksUri: "http://169.254.169.254/" }, "jwksUri"],
  [{ issuer: "https://a.example", audience: "x" }, "has no option"],
])("options that cannot work are refused: %j", (options, message) => {
  expect(() => jwt(options as JwtOptions)).toThrow(message);
});
