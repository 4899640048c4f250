import { dpop as clientProof } from "@tenon/auth/client";
import {
  createGuard,
  dpopProofs,
  memoryReplayStore,
  type DpopProofOptions,
  type VerifiedToken,
} from "@tenon/auth/server";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, test, vi } from "vitest";

import { requestWith, resource } from "./issuer.ts";

const encoder = new TextEncoder();

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return Buffer.from(digest).toString("base64url");
}

const alg = "ES256";
const keys = await generateKeyPair(alg, { extractable: true });
const jwk = await exportJWK(keys.publicKey);
const jkt = await calculateJwkThumbprint(jwk);
let proofs = 0;

/** A proof for a POST with the token `t`. `undefined` leaves a claim out. */
async function proof(
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
  key: Parameters<SignJWT["sign"]>[0] = keys.privateKey,
): Promise<string> {
  const all = {
    htm: "POST",
    htu: resource,
    iat: Math.floor(Date.now() / 1000),
    jti: `proof ${++proofs}`,
    ath: await hash("t"),
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(all)) as object as never)
    .setProtectedHeader({ typ: "dpop+jwt", alg, jwk, ...header })
    .sign(key);
}

const bound: VerifiedToken = {
  issuer: "https://login.example.com",
  subject: "ada",
  audience: resource,
  scopes: [],
  expiresAt: Date.now() + 3_600_000,
  confirmation: { jkt },
};

function guardFor(options: DpopProofOptions = {}, token: VerifiedToken = bound) {
  return createGuard({ resource, verify: () => token, dpop: dpopProofs(options) });
}

async function send(
  guard: ReturnType<typeof guardFor>,
  headers: Readonly<Record<string, string>>,
  method = "POST",
) {
  const answer = await guard.authenticate(requestWith({ authorization: "DPoP t", ...headers }, { method }));
  return answer instanceof Response
    ? {
        status: answer.status,
        challenge: answer.headers.get("www-authenticate"),
        nonce: answer.headers.get("dpop-nonce"),
      }
    : answer;
}

test("a request with a bound token and a fresh proof is served", async () => {
  const answer = await send(guardFor(), { dpop: await proof() });
  expect(answer).toMatchObject({ subject: "ada", binding: "dpop" });
});

test.each([
  ["capitals and a default port", "HTTPS://Notes.Example.com:443/mcp"],
  ["a query and a fragment", `${resource}?a=b#c`],
  ["escaped letters", "https://notes.example.com/%6dcp"],
])("the URL of a proof may be written with %s", async (_, htu) => {
  expect(await send(guardFor(), { dpop: await proof({ htu }) })).toMatchObject({ subject: "ada" });
});

test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>?]>([
  ["A-048: another path", { htu: "https://notes.example.com/other" }],
  ["A-048: another case of the path", { htu: "https://notes.example.com/MCP" }],
  ["A-048: another host", { htu: "https://evil.example/mcp" }],
  ["A-048: a host with a dot at its end", { htu: "https://notes.example.com./mcp" }],
  ["A-048: another port", { htu: "https://notes.example.com:8443/mcp" }],
  ["A-048: another scheme", { htu: "http://notes.example.com/mcp" }],
  ["A-048: an escaped slash", { htu: "https://notes.example.com%2Fmcp" }],
  ["A-048: no URL", { htu: undefined }],
  ["A-048: another method", { htm: "GET" }],
  ["A-048: another case of the method", { htm: "post" }],
  ["A-049: the hash of another token", { ath: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo" }],
  ["A-049: no hash", { ath: undefined }],
  ["too old", { iat: () => Math.floor(Date.now() / 1000) - 302 }],
  ["from the future", { iat: () => Math.floor(Date.now() / 1000) + 302 }],
  ["no time", { iat: undefined }],
  ["a time that is a string", { iat: "now" }],
  ["no jti", { jti: undefined }],
  ["another type", {}, { typ: "JWT" }],
  ["A-050: a private key", {}, { jwk: "private" }],
  ["A-050: no key", {}, { jwk: undefined }],
  ["A-050: a point that is not on the curve", {}, { jwk: { ...jwk, y: jwk.x } }],
  ["A-050: a key of another curve", {}, { jwk: { ...jwk, crv: "P-384" } }],
])("a proof is refused with 401: %s", async (_, given, header) => {
  // Two seconds from the limit: times are of the moment of the test.
  const claims = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === "function" ? value() : value]),
  ) as Readonly<Record<string, unknown>>;
  const withKey = header?.["jwk"] === "private" ? { jwk: await exportJWK(keys.privateKey) } : header;
  expect(await send(guardFor(), { dpop: await proof(claims, withKey) })).toMatchObject({
    status: 401,
    challenge: expect.stringContaining('DPoP error="invalid_dpop_proof"') as string,
  });
});

test("A-050: HS256 with the public key, no algorithm, and RSA with 1024 bits are refused", async () => {
  const secret = encoder.encode(JSON.stringify(jwk));
  expect(await send(guardFor(), { dpop: await proof({}, { alg: "HS256" }, secret) })).toMatchObject({
    status: 401,
  });
  const genuine = await proof();
  const head = Buffer.from(JSON.stringify({ typ: "dpop+jwt", alg: "none", jwk })).toString("base64url");
  const unsigned = `${head}.${genuine.split(".")[1]}.`;
  expect(await send(guardFor(), { dpop: unsigned })).toMatchObject({ status: 401 });
  const weak = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 1024,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: "SHA-256",
    },
    true,
    ["sign", "verify"],
  );
  const weakJwk = (await crypto.subtle.exportKey("jwk", weak.publicKey)) as { n: string; e: string };
  const parts = [
    { typ: "dpop+jwt", alg: "RS256", jwk: { kty: "RSA", n: weakJwk.n, e: weakJwk.e } },
    { htm: "POST", htu: resource, iat: Math.floor(Date.now() / 1000), jti: "weak", ath: await hash("t") },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const mac = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", weak.privateKey, encoder.encode(parts.join(".")));
  const weakProof = [...parts, Buffer.from(mac).toString("base64url")].join(".");
  const weakJkt = await calculateJwkThumbprint({ kty: "RSA", n: weakJwk.n, e: weakJwk.e });
  const guard = guardFor({}, { ...bound, confirmation: { jkt: weakJkt } });
  expect(await send(guard, { dpop: weakProof })).toMatchObject({ status: 401 });
});

test.each(["ES256", "ES384", "Ed25519", "EdDSA", "PS256", "RS256"] as const)(
  "proofs with %s are understood",
  async (name) => {
    const pair = await generateKeyPair(name === "EdDSA" ? "Ed25519" : name, { extractable: true });
    const own = await exportJWK(pair.publicKey);
    const guard = guardFor({}, { ...bound, confirmation: { jkt: await calculateJwkThumbprint(own) } });
    const signed = await proof({}, { alg: name, jwk: own }, pair.privateKey);
    expect(await send(guard, { dpop: signed })).toMatchObject({ subject: "ada" });
  },
);

test("a proof by another key than that of the token is refused", async () => {
  const other = await generateKeyPair(alg, { extractable: true });
  const signed = await proof({}, { jwk: await exportJWK(other.publicKey) }, other.privateKey);
  expect(await send(guardFor(), { dpop: signed })).toMatchObject({ status: 401 });
});

test("A-047: a proof is accepted once: not again at once, after 299 seconds, or at another server with the same store", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const replay = memoryReplayStore();
    const [one, other] = [guardFor({ replay }), guardFor({ replay })];
    const signed = await proof();
    expect(await send(one, { dpop: signed })).toMatchObject({ subject: "ada" });
    expect(await send(one, { dpop: signed })).toMatchObject({ status: 401 });
    expect(await send(other, { dpop: signed })).toMatchObject({ status: 401 });
    vi.advanceTimersByTime(299_000);
    expect(await send(one, { dpop: signed })).toMatchObject({ status: 401 });
  } finally {
    vi.useRealTimers();
  }
});

test("a replay store that fails refuses the proof, and the memory of proofs is bounded", async () => {
  const broken = guardFor({ replay: { add: () => Promise.resolve("yes" as unknown as boolean) } });
  expect(await send(broken, { dpop: await proof() })).toMatchObject({ status: 401 });
  const store = memoryReplayStore(2);
  const until = Date.now() + 1000;
  expect(["a", "b", "c", "c", "a"].map((key) => store.add(key, until))).toEqual([
    true,
    true,
    true,
    false,
    true,
  ]);
});

test("A-051: a bound token as a bearer token is refused, and a token that is not bound needs no proof", async () => {
  const guard = guardFor();
  const refused = await send(guard, { authorization: "Bearer t", dpop: await proof() });
  expect(refused).toMatchObject({ status: 401 });
  const plain = { ...bound, confirmation: undefined };
  expect(await send(guardFor({}, plain), { authorization: "Bearer t" })).toMatchObject({ binding: "bearer" });
  expect(await send(guardFor({}, plain), { dpop: await proof() })).toMatchObject({ status: 401 });
  const required = await send(guardFor({ required: true }, plain), { authorization: "Bearer t" });
  expect(required).toMatchObject({ status: 401, challenge: expect.not.stringContaining("Bearer") as string });
});

test("A-052: headers that a client can forge do not change what the URL of a proof is compared with", async () => {
  const forged = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", host: "evil.example" };
  const evil = await proof({ htu: "https://evil.example/mcp" });
  expect(await send(guardFor(), { ...forged, dpop: evil })).toMatchObject({ status: 401 });
  expect(await send(guardFor(), { ...forged, dpop: await proof() })).toMatchObject({ subject: "ada" });
  const alias = guardFor({ urls: ["https://alias.example/mcp"] });
  expect(await send(alias, { dpop: await proof({ htu: "https://alias.example/mcp" }) })).toMatchObject({
    subject: "ada",
  });
});

test("A-053: a proof without a nonce, with a stale one or with one of another server gets a nonce and 401", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const guard = guardFor({ nonces: true });
    const asked = await send(guard, { dpop: await proof() });
    expect(asked).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('error="use_dpop_nonce"') as string,
    });
    const { nonce } = asked as { nonce: string };
    expect(await send(guard, { dpop: await proof({ nonce }) })).toMatchObject({ subject: "ada" });
    const other = guardFor({ nonces: true });
    expect(await send(other, { dpop: await proof({ nonce }) })).toMatchObject({ status: 401 });
    vi.advanceTimersByTime(120_000);
    expect(await send(guard, { dpop: await proof({ nonce }) })).toMatchObject({ status: 401 });
    expect(await send(guard, { dpop: await proof({ nonce: 7 }) })).toMatchObject({ status: 401 });
  } finally {
    vi.useRealTimers();
  }
});

test("servers with the same secret accept each other's nonces", async () => {
  const nonces = { secret: crypto.getRandomValues(new Uint8Array(32)) };
  const asked = await send(guardFor({ nonces }), { dpop: await proof() });
  const { nonce } = asked as { nonce: string };
  expect(await send(guardFor({ nonces }), { dpop: await proof({ nonce }) })).toMatchObject({
    subject: "ada",
  });
});

test.each(["", "a.b", "a.b.c.d", "x".repeat(5000), "e30.e30.!!", "e30.bm8.AA"])(
  "what is not a proof is refused with 401: %.20j",
  async (text) => {
    expect(await send(guardFor(), { dpop: text })).toMatchObject({ status: 401 });
  },
);

test("a request without a proof gets both challenges, DPoP first", async () => {
  expect(await send(guardFor(), {})).toMatchObject({ status: 401 });
  const answer = await guardFor().authenticate(requestWith({}));
  expect((answer as Response).headers.get("www-authenticate")).toMatch(/^DPoP .*algs="ES256 .*, Bearer /);
});

test("options of dpop that cannot work are refused", () => {
  expect(() => dpopProofs({ algorithms: ["HS256" as never] })).toThrow("algorithms");
  expect(() => dpopProofs({ require: true } as never)).toThrow("Did you mean required?");
  expect(() => dpopProofs({ urls: ["http://x.example"] })).toThrow("urls");
});

test.each(["ES256", "Ed25519"] as const)(
  "the proofs of our own client are accepted: %s",
  async (algorithm) => {
    const key = await clientProof({ algorithm }).createKey(false);
    const guard = guardFor({ nonces: true }, { ...bound, confirmation: { jkt: key.thumbprint } });
    const request = { method: "POST", url: new URL(`${resource}?session=1`), token: "t" };
    const { nonce } = (await send(guard, { dpop: await key.sign(request) })) as { nonce: string };
    expect(await send(guard, { dpop: await key.sign({ ...request, nonce }) })).toMatchObject({
      subject: "ada",
    });
  },
);
