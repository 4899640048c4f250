import {
  InsufficientScope,
  scopePolicy,
  tokenOf,
  VerifierUnavailable,
  type RejectedToken,
  type ResourceGuard,
  type ResourceGuardOptions,
  type VerifiedToken,
  type Verify,
} from "@tenon/auth/server";
import type { AuthInfo } from "@tenon/protocol";
import { expect, test } from "vitest";

import { bearer, genuine, guardFor, requestWith, resource } from "./issuer.ts";

const metadataUrl = "https://notes.example.com/.well-known/oauth-protected-resource/mcp";

/** What a guard answers to a request, if it refuses it. */
async function refusal(
  guard: ResourceGuard,
  request: Parameters<typeof guard.authenticate>[0],
): Promise<{ status: number; challenge: string | null; body: unknown }> {
  const answer = await guard.authenticate(request);
  if (!(answer instanceof Response)) {
    throw new Error("The request was not refused.");
  }
  return {
    status: answer.status,
    challenge: answer.headers.get("www-authenticate"),
    body: await answer.json(),
  };
}

test("a request without credentials gets 401 with the metadata and the scopes, and no error (R-724, R-725)", async () => {
  const { status, challenge } = await refusal(
    guardFor(() => genuine),
    requestWith({}),
  );
  expect(status).toBe(401);
  expect(challenge).toBe(`Bearer scope="notes:read", resource_metadata="${metadataUrl}"`);
});

test.each([
  ["A-061: a token in the query", requestWith({}, { url: "/mcp?x=1&access%5Ftoken=t" })],
  ["another scheme", requestWith({ authorization: "Basic dXNlcjpwYXNz" })],
  ["no token", requestWith({ authorization: "Bearer" })],
  ["two tokens in one line", requestWith({ authorization: "Bearer a, Bearer b" })],
  ["a token of 16 KiB and more", bearer("x".repeat(16_400))],
  ["DPoP where it is not accepted", requestWith({ authorization: "DPoP abc" })],
  [
    "A-061: two header lines",
    { method: "POST", url: "/mcp", headers: { get: () => "Bearer a", count: () => 2 } },
  ],
])("%s is a malformed request: 400 (R-721)", async (_, request) => {
  const { status, challenge } = await refusal(
    guardFor(() => genuine),
    request,
  );
  expect(status).toBe(400);
  expect(challenge).toContain('error="invalid_request"');
});

test("a token that is valid identifies the sender", async () => {
  const claims = { department: "R&D" };
  const guard = guardFor(() => ({ ...genuine, claims }));
  expect(await guard.authenticate(bearer("good"))).toEqual({
    principal: '["https://login.example.com","ada","editor"]',
    scopes: ["notes:read"],
    claims,
    issuer: "https://login.example.com",
    subject: "ada",
    clientId: "editor",
    audience: [resource],
    expiresAt: genuine.expiresAt,
    binding: "bearer",
    metadataUrl,
  });
});

test.each<[string, string | readonly string[], boolean]>([
  ["itself", resource, true],
  ["itself among others", ["https://other.example", resource], true],
  ["the authorization server", "https://login.example.com", false],
  ["a sibling", "https://notes.example.com/other", false],
  ["a prefix", "https://notes.example.com", false],
  ["itself with a slash", `${resource}/`, false],
  ["itself in capitals", resource.toUpperCase(), false],
  ["nobody", [], false],
])(
  "A-055: a server accepts tokens for itself only; audience: %s (R-726, R-727)",
  async (_, audience, accepted) => {
    const guard = guardFor(() => ({ ...genuine, audience }));
    const answer = await guard.authenticate(bearer("t"));
    expect(answer instanceof Response ? answer.status : "accepted").toBe(accepted ? "accepted" : 401);
  },
);

test("another audience can be configured, and any only by name", async () => {
  const token = { ...genuine, audience: "api://notes" };
  const statusOf = async (audience: ResourceGuardOptions["audience"]): Promise<unknown> => {
    const answer = await guardFor(() => token, { audience }).authenticate(bearer("t"));
    return answer instanceof Response ? answer.status : "accepted";
  };
  expect(await statusOf(["api://notes", "x"])).toBe("accepted");
  expect(await statusOf("api://other")).toBe(401);
  expect(await statusOf({ dangerouslyAny: "a single server" })).toBe("accepted");
  expect(() => guardFor(() => token, { audience: [] })).toThrow("audience");
  expect(() => guardFor(() => token, { audience: { dangerouslyAny: "" } })).toThrow("audience");
});

test("A-062: the response to an unknown, a revoked and a foreign token is the same; an expired one is told apart", async () => {
  const [unknown, foreign, unbound, expired] = await Promise.all(
    [
      () => ({ rejected: "invalid" }) as const,
      () => ({ ...genuine, audience: "https://other.example" }),
      () => ({ ...genuine, confirmation: { "x5t#S256": "abc" } }) as VerifiedToken,
      () => ({ ...genuine, expiresAt: Date.now() - 31_000 }),
    ].map((verify) => refusal(guardFor(verify), bearer("t"))),
  );
  expect(unknown).toEqual(foreign);
  expect(unknown).toEqual(unbound);
  expect(unknown?.challenge).toBe(
    `Bearer error="invalid_token", error_description="The access token is not valid", scope="notes:read", resource_metadata="${metadataUrl}"`,
  );
  expect(expired?.status).toBe(401);
  expect(expired?.challenge).toContain("The access token has expired");
});

test.each([
  ["no expiry", { expiresAt: undefined }],
  ["an expiry that is not a number", { expiresAt: Number.NaN }],
  ["an expiry beyond all time", { expiresAt: 2 ** 60 }],
])("A-059: a token with %s is refused", async (_, fields) => {
  expect(
    (
      await refusal(
        guardFor(() => ({ ...genuine, ...fields })),
        bearer("t"),
      )
    ).status,
  ).toBe(401);
});

test("onRejected learns why a token was refused, and clients do not", async () => {
  const rejected: unknown[] = [];
  const errors: unknown[] = [];
  const verdicts: Readonly<Record<string, VerifiedToken | RejectedToken>> = {
    revoked: { rejected: "invalid", reason: "revoked in May" },
    foreign: { ...genuine, audience: "https://other.example" },
    eternal: { ...genuine, expiresAt: undefined },
    old: { ...genuine, expiresAt: Date.now() - 31_000 },
    bound: { ...genuine, confirmation: { jkt: "abc" } },
    certified: { ...genuine, confirmation: { "x5t#S256": "abc" } as object },
  };
  const guard = guardFor((token) => verdicts[token] ?? genuine, {
    onRejected(token) {
      rejected.push(token);
      throw new Error("bug of the hook");
    },
    onError: (error) => errors.push(error),
  });
  const texts: string[] = [];
  for (const token of ["good", ...Object.keys(verdicts)]) {
    const answer = await guard.authenticate(bearer(token));
    texts.push(
      answer instanceof Response ? answer.headers.get("www-authenticate") + (await answer.text()) : "",
    );
  }
  expect(rejected).toEqual([
    { rejected: "invalid", reason: "revoked in May" },
    { rejected: "invalid", reason: "audience" },
    { rejected: "invalid", reason: "no expiry" },
    { rejected: "expired", reason: "expired" },
    { rejected: "invalid", reason: "binding" },
    { rejected: "invalid", reason: "binding" },
  ]);
  expect(texts.join()).not.toMatch(/revoked|audience|no expiry|binding/);
  expect(errors.filter((error) => (error as Error).message === "bug of the hook")).toHaveLength(6);
});

test("tokens without an expiry are accepted up to a configured age", async () => {
  const ageOf = (token: string): number => (token === "old" ? 11_000 : 9000);
  const guard = guardFor(
    (token) => ({ ...genuine, expiresAt: undefined, issuedAt: Date.now() - ageOf(token) }),
    {
      limits: { maxTokenAgeMs: 10_000, clockToleranceMs: 0 },
    },
  );
  expect(await guard.authenticate(bearer("new"))).toMatchObject({ subject: "ada" });
  expect((await refusal(guard, bearer("old"))).status).toBe(401);
});

test("a token without the base scopes gets 403 with all of them (R-728)", async () => {
  const guard = guardFor(() => ({ ...genuine, scopes: ["notes:write"] }), {
    scopes: ["notes:read", "profile"],
  });
  const { status, challenge } = await refusal(guard, bearer("t"));
  expect(status).toBe(403);
  expect(challenge).toBe(
    `Bearer error="insufficient_scope", error_description="The access token lacks scopes", scope="notes:read profile", resource_metadata="${metadataUrl}"`,
  );
});

test("base scopes count by what contains them, and denials of the policy name them too (R-729, R-730)", async () => {
  const policy = scopePolicy({
    default: "deny",
    tools: { add: ["notes:write"] },
    implies: { "notes:admin": ["notes:write"], "notes:write": ["notes:read"] },
  });
  const guard = guardFor(() => ({ ...genuine, scopes: ["notes:write"] }), { policy });
  const auth = (await guard.authenticate(bearer("t"))) as AuthInfo;
  expect(auth.principal).toContain("ada");
  const http = requestWith({});
  const call = { method: "tools/call", params: { name: "add" } };
  expect(guard.authorize?.(call, { auth, http })).toBeUndefined();
  expect(guard.authorize?.(call, { auth: { ...auth, scopes: ["notes:read"] }, http })).toEqual({
    scopes: ["notes:read", "notes:write"],
  });
});

test("while tokens cannot be verified requests get 503, which keeps clients from a new login", async () => {
  const errors: unknown[] = [];
  const guard = guardFor(
    () => {
      throw new VerifierUnavailable("The keys cannot be fetched.");
    },
    { onError: (error) => errors.push(error) },
  );
  const answer = (await guard.authenticate(bearer("t"))) as Response;
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.headers.get("www-authenticate")).toBeNull();
  expect(errors).toMatchObject([{ message: "The keys cannot be fetched." }]);
});

const expected = "verify must return { rejected }, or a token with a valid";

test.each<[string, () => unknown, string]>([
  ["an exception", () => Promise.reject(new Error("bug")), "bug"],
  ["nothing", () => undefined, `${expected} issuer.`],
  ["null", () => null, `${expected} issuer.`],
  ["true", () => true, `${expected} issuer.`],
  ["no subject", () => ({ ...genuine, subject: "" }), `${expected} subject.`],
  ["scopes that are a string", () => ({ ...genuine, scopes: "notes:read" }), `${expected} scopes.`],
  ["no audience", () => ({ ...genuine, audience: undefined }), `${expected} audience.`],
])("what verify may not return fails the request closed and is named: %s", async (_, verify, message) => {
  await expect(guardFor(verify as unknown as Verify).authenticate(bearer("t"))).rejects.toThrow(message);
});

test.each<[string, Partial<VerifiedToken>, string]>([
  ["no expiry", { expiresAt: undefined }, "verify returned no expiry: expiresAt is in milliseconds"],
  ["an expiry as text", { expiresAt: "2030-01-01" as unknown as number }, "verify returned no expiry"],
  [
    "an expiry in seconds",
    { expiresAt: Math.floor(Date.now() / 1000) + 600 },
    "verify returned an expiry in seconds",
  ],
  [
    "a time of issue in seconds",
    { expiresAt: undefined, issuedAt: Math.floor(Date.now() / 1000) },
    "verify returned an expiry in seconds",
  ],
])("a verify that returns %s is reported once as a mistake of the server", async (_, fields, message) => {
  const errors: unknown[] = [];
  const guard = guardFor(() => ({ ...genuine, ...fields }), {
    limits: "issuedAt" in fields ? { maxTokenAgeMs: 600_000 } : {},
    onError: (error) => errors.push(error),
  });
  for (const token of ["one", "two", "one"]) {
    expect((await refusal(guard, bearer(token))).status).toBe(401);
  }
  const reported = expect.objectContaining({ message: expect.stringContaining(message) as string }) as Error;
  expect(errors).toEqual([reported]);
});

test("a token that has expired, however long ago, is no mistake of the server", async () => {
  const errors: unknown[] = [];
  for (const expiresAt of [0, 1, Date.now() - 31_000, Date.now() - 86_400_000 * 365]) {
    const guard = guardFor(() => ({ ...genuine, expiresAt }), { onError: (error) => errors.push(error) });
    expect((await refusal(guard, bearer("t"))).status).toBe(401);
  }
  expect(errors).toEqual([]);
});

test("a principal of one's own must be a string", async () => {
  const named = guardFor(() => genuine, { principal: ({ subject }) => `user:${subject}` });
  expect(await named.authenticate(bearer("t"))).toMatchObject({ principal: "user:ada" });
  const wrong = guardFor(() => genuine, { principal: () => "" });
  await expect(wrong.authenticate(bearer("t"))).rejects.toThrow("principal");
});

test("A-065, R-794: the token is nowhere in what handlers see, and tokenOf returns it only with keepToken", async () => {
  const kept = (await guardFor(() => genuine, { keepToken: true }).authenticate(
    bearer("canary"),
  )) as AuthInfo;
  const dropped = (await guardFor(() => genuine).authenticate(bearer("canary"))) as AuthInfo;
  expect(tokenOf(kept)).toBe("canary");
  expect(tokenOf(dropped)).toBeUndefined();
  expect(tokenOf(undefined)).toBeUndefined();
  expect(JSON.stringify(kept)).not.toContain("canary");
});

test("A-071: no refusal and no error contains the token", async () => {
  const errors: unknown[] = [];
  const verifiers: Verify[] = [
    () => ({ rejected: "invalid" }),
    () => ({ ...genuine, audience: "x" }),
    () => {
      throw new VerifierUnavailable("down");
    },
  ];
  for (const verify of verifiers) {
    const guard = guardFor(verify, { onError: (error) => errors.push(error) });
    const answer = (await guard.authenticate(bearer("canary"))) as Response;
    expect(`${await answer.text()} ${[...answer.headers].join(" ")}`).not.toContain("canary");
  }
  expect(String(errors)).not.toContain("canary");
});

test.each<[object, string]>([
  [{ resource: "http://notes.example.com/mcp" }, "https"],
  [{ resource: "notes.example.com" }, "https"],
  [{ resource: `${resource}#x` }, "fragment"],
  [{ scopes: ["offline_access"] }, "offline_access"],
  [{ scopes: ['a"b'] }, "scopes"],
  [{ scopes: ["x".repeat(600)] }, "512"],
  [{ metadataUrl: "ftp://x" }, "metadataUrl"],
  [{ verify: undefined }, "verify"],
  [{ verfy: true }, "Did you mean verify?"],
  [{ limits: { cach: 1 } }, "limits has no option"],
  [{ limits: { ttlMs: -1 } }, "limits.ttlMs must be"],
  [{ ttlMs: 1 }, "limits: { ttlMs"],
])("a guard that cannot work is not made: %j (R-731)", (options, message) => {
  expect(() => guardFor(() => genuine, options)).toThrow(message);
});

test("InsufficientScope takes scopes only", () => {
  expect(new InsufficientScope(["a", "b"])).toMatchObject({
    code: -32600,
    message: "Forbidden: this needs a b",
    data: { requiredScopes: ["a", "b"] },
  });
  expect(() => new InsufficientScope([])).toThrow(TypeError);
  expect(() => new InsufficientScope(["a b"])).toThrow(TypeError);
});

test("a policy that returns a promise instead of a decision grants nothing", async () => {
  const policy = {
    ...scopePolicy({ default: "deny" }),
    holds: (() => Promise.resolve(false)) as unknown as () => boolean,
  };
  const guard = guardFor(() => genuine, { policy });
  const { status } = await refusal(guard, requestWith({ authorization: "Bearer t" }));
  expect(status).toBe(403);
});
