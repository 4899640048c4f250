import { jwt, type JwtOptions } from "@tenon/auth/jwt";
import { createGuard, introspection, isVerifierUnavailable } from "@tenon/auth/server";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { bearer, genuine, guardFor, requestWith, resource, startIssuer, type Issuer } from "./issuer.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A guard, and the status and the `Retry-After` with which it responds. */
function guarded(issuer: Issuer, options: Partial<JwtOptions> = {}) {
  const guard = createGuard({
    resource,
    verify: jwt({ issuer: issuer.url, ...options }),
    limits: { ttlMs: 0 },
    onError: () => {},
  });
  return async (token: string): Promise<unknown> => {
    const answer = await guard.authenticate(bearer(token));
    const retry = answer instanceof Response ? answer.headers.get("retry-after") : null;
    return answer instanceof Response ? (retry === null ? answer.status : [answer.status, retry]) : 200;
  };
}

/** Another key of an issuer, and tokens that it signs. */
async function nextKey(issuer: Issuer, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" };
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer.url,
    sub: "ada",
    aud: resource,
    iat: now,
    exp: now + 300,
    scope: "notes:read",
  };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
    .sign(privateKey);
  return { jwk, token };
}

describe("a rotation of keys is not a logout", () => {
  test("an honest token of a new key gets 503 with the rest of the pause that a stranger's token has started", async () => {
    await using issuer = await startIssuer();
    const status = guarded(issuer);
    expect(await status(await issuer.sign())).toBe(200);
    vi.advanceTimersByTime(31_000);
    // Anybody can name a key that does not exist.
    expect(await status(await issuer.sign({}, { kid: "nobody" }))).toBe(401);
    const next = await nextKey(issuer, "second");
    issuer.answers.set("/jwks", () => ({ keys: [issuer.publicJwk, next.jwk] }));
    vi.advanceTimersByTime(10_000);
    expect(await status(next.token)).toEqual([503, "20"]);
    expect(await status(await issuer.sign())).toBe(200);
    vi.advanceTimersByTime(20_000);
    expect(await status(next.token)).toBe(200);
  });

  test("a key that is replaced under the same identifier is fetched again", async () => {
    await using issuer = await startIssuer();
    const status = guarded(issuer);
    expect(await status(await issuer.sign())).toBe(200);
    const next = await nextKey(issuer, "first");
    issuer.answers.set("/jwks", () => ({ keys: [next.jwk] }));
    vi.advanceTimersByTime(31_000);
    expect(await status(next.token)).toBe(200);
    // The old key is no longer one of the issuer's.
    expect(await status(await issuer.sign())).toBe(401);
    expect(issuer.requests.get("/jwks")).toBe(2);
  });

  test("A-060: an unknown key gets 503 while keys cannot be fetched", async () => {
    await using issuer = await startIssuer();
    const status = guarded(issuer);
    expect(await status(await issuer.sign())).toBe(200);
    issuer.answers.set("/jwks", () => 500);
    vi.advanceTimersByTime(31_000);
    const { token } = await nextKey(issuer, "second");
    expect(await status(token)).toEqual([503, "30"]);
    expect(await status(token)).toEqual([503, "30"]);
    expect(await status(await issuer.sign())).toBe(200);
  });

  test("strangers cause no more than one fetch in a pause, whatever their tokens name", async () => {
    await using issuer = await startIssuer();
    const status = guarded(issuer);
    await status(await issuer.sign());
    vi.advanceTimersByTime(31_000);
    for (let stranger = 0; stranger < 50; stranger++) {
      await status(await issuer.sign({}, { kid: `stranger-${stranger}` }));
      await status(`${await issuer.sign()}x`.replace(/..x$/, "AA"));
    }
    expect(issuer.requests.get("/jwks")).toBeLessThanOrEqual(2);
    expect(issuer.requests.get("/.well-known/oauth-authorization-server")).toBeLessThanOrEqual(2);
  });
});

test("an issuer that accepts connections and never responds lets nobody wait whose key is known", async () => {
  await using issuer = await startIssuer();
  const status = guarded(issuer);
  expect(await status(await issuer.sign())).toBe(200);
  const never = (): Promise<never> => new Promise(() => {});
  issuer.answers.set("/.well-known/oauth-authorization-server", never);
  issuer.answers.set("/jwks", () => 500);
  vi.advanceTimersByTime(600_001);
  expect(await status(await issuer.sign())).toBe(200);
  issuer.answers.set("/jwks", never);
  vi.advanceTimersByTime(30_001);
  expect(await status(await issuer.sign())).toBe(200);
  await vi.waitFor(() => expect(issuer.requests.get("/jwks")).toBe(3));
});

describe("a key set that moves is found again", () => {
  test.each<[string, (issuer: Issuer) => void]>([
    ["is not found at its old address", (issuer) => issuer.answers.delete("/jwks")],
    ["fails at its old address", (issuer) => issuer.answers.set("/jwks", () => 500)],
    ["is still served, without the new key, at its old address", () => {}],
  ])("that %s", async (_, leave) => {
    await using issuer = await startIssuer();
    const status = guarded(issuer);
    expect(await status(await issuer.sign())).toBe(200);
    const next = await nextKey(issuer, "second");
    issuer.answers.set("/.well-known/oauth-authorization-server", () => ({
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/moved`,
    }));
    issuer.answers.set("/moved", () => ({ keys: [next.jwk] }));
    leave(issuer);
    vi.advanceTimersByTime(31_000);
    expect(await status(next.token)).toBe(200);
    expect(issuer.requests.get("/moved")).toBe(1);
  });

  test("that has moved while its keys are old", async () => {
    await using issuer = await startIssuer();
    const status = guarded(issuer);
    expect(await status(await issuer.sign())).toBe(200);
    issuer.answers.set("/.well-known/oauth-authorization-server", () => ({
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/moved`,
    }));
    issuer.answers.set("/moved", issuer.answers.get("/jwks") as never);
    issuer.answers.delete("/jwks");
    vi.advanceTimersByTime(3_600_000 + 600_001);
    expect(await status(await issuer.sign())).toBe(200);
  });

  test("an address of the options is not replaced by that of the metadata", async () => {
    await using issuer = await startIssuer();
    const status = guarded(issuer, { jwksUri: `${issuer.url}/jwks` });
    expect(await status(await issuer.sign())).toBe(200);
    issuer.answers.delete("/jwks");
    vi.advanceTimersByTime(5_000_000);
    expect(await status(await issuer.sign())).toEqual([503, "30"]);
    expect(issuer.requests.has("/.well-known/oauth-authorization-server")).toBe(false);
  });
});

const odd: readonly unknown[] = [7, true, {}, [7], [resource, 7], [[resource]], { 0: resource }, [null]];

test.each(odd)("a signed token whose audience is %j gets 401", async (aud) => {
  await using issuer = await startIssuer();
  const errors: unknown[] = [];
  const verify = jwt({ issuer: issuer.url });
  const guard = createGuard({ resource, verify, onError: (error) => errors.push(error) });
  const answer = await guard.authenticate(bearer(await issuer.sign({ aud: aud as never })));
  expect((answer as Response).status).toBe(401);
  expect(errors).toEqual([]);
});

test.each(odd)("an introspection response whose audience is %j gets 401", async (aud) => {
  const verify = introspection({
    endpoint: "https://as.example/introspect",
    issuer: "https://as.example",
    client: { clientId: "c", clientSecret: "s" },
    fetch: () => Promise.resolve(Response.json({ active: true, sub: "u", exp: 9_999_999_999, aud })),
  });
  const guard = createGuard({ resource, verify });
  expect(((await guard.authenticate(bearer("t"))) as Response).status).toBe(401);
});

describe("one sender cannot fill the verifier", () => {
  const from = (address: string, token: string) => ({
    ...requestWith({ authorization: `Bearer ${token}` }),
    address,
  });

  test.each([
    ["one address", () => "192.0.2.1", "192.0.2.2"],
    ["the addresses of one network", (n: number) => `2001:db8:0:1::${n.toString(16)}`, "2001:db8:0:2::1"],
    ["one address in two forms", (n: number) => (n % 2 ? "192.0.2.1" : "::ffff:192.0.2.1"), "192.0.2.2"],
    ["one address with the ports of its connections", (n: number) => `192.0.2.1:${n}`, "192.0.2.2:1"],
    ["what is not an address", (n: number) => `unknown-${n}`, "192.0.2.2"],
  ])("of %s", async (_, addressOf, other) => {
    let running = 0;
    const guard = guardFor((token) => (token === "good" ? genuine : (running++, new Promise(() => {}))), {
      limits: { maxInFlight: 20, verifyTimeoutMs: 60_000 },
      onError: () => {},
    });
    for (let sender = 1; sender <= 40; sender++) {
      void guard.authenticate(from(addressOf(sender), `slow-${sender}`));
    }
    await vi.waitFor(() => expect(running).toBeGreaterThanOrEqual(10));
    expect(running).toBe(10);
    expect(await guard.authenticate(from(other, "good"))).toMatchObject({ subject: "ada" });
  });

  test("a sender whose verifications have ended has its places back", async () => {
    const guard = guardFor(() => genuine, { limits: { maxInFlight: 2, ttlMs: 0 } });
    for (let request = 0; request < 10; request++) {
      expect(await guard.authenticate(from("192.0.2.1", `t${request}`))).toMatchObject({ subject: "ada" });
    }
  });
});

test("the error of an unavailable verifier says when tokens can be verified again", async () => {
  await using issuer = await startIssuer();
  issuer.answers.set("/jwks", () => 500);
  const error: unknown = await Promise.resolve(
    jwt({ issuer: issuer.url })(await issuer.sign(), requestWith({}), new AbortController().signal),
  ).catch((failure: unknown) => failure);
  expect(isVerifierUnavailable(error)).toBe(true);
  expect((error as { readonly retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
});
