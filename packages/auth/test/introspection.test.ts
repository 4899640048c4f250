import { createGuard, introspection, type IntrospectionOptions } from "@tenon/auth/server";
import type { AuthInfo } from "@tenon/protocol";
import { expect, test, vi } from "vitest";

import { bearer, resource, startIssuer } from "./issuer.ts";

const client = { clientId: "notes server", clientSecret: "s:e%cret" };
const exp = Math.floor(Date.now() / 1000) + 3600;
const active = { active: true, sub: "ada", client_id: "editor", aud: resource, exp, scope: "notes:read" };

/** An issuer that answers introspection requests in this way, and a guard that asks it. */
async function startGuarded(answer: unknown, options: Partial<IntrospectionOptions> = {}) {
  const issuer = await startIssuer();
  const asked: { token: string | null; authorization: string | undefined }[] = [];
  issuer.answers.set("/introspect", (form, { headers }) => {
    asked.push({ token: form.get("token"), authorization: headers.authorization });
    return typeof answer === "function" ? (answer as () => unknown)() : answer;
  });
  const verify = introspection({
    endpoint: `${issuer.url}/introspect`,
    issuer: issuer.url,
    client,
    ...options,
  });
  const errors: unknown[] = [];
  const guard = createGuard({ resource, verify, onError: (error) => errors.push(error) });
  return {
    issuer,
    asked,
    errors,
    async ask(token = "opaque"): Promise<number | AuthInfo> {
      const response = await guard.authenticate(bearer(token));
      return response instanceof Response ? response.status : (response as AuthInfo);
    },
    [Symbol.asyncDispose]: (): PromiseLike<void> => issuer[Symbol.asyncDispose](),
  };
}

test("an active token identifies its user; the client authenticates with form-encoded credentials", async () => {
  await using it = await startGuarded(active);
  expect(await it.ask()).toMatchObject({
    issuer: it.issuer.url,
    subject: "ada",
    clientId: "editor",
    scopes: ["notes:read"],
    expiresAt: exp * 1000,
  });
  expect(it.asked).toEqual([
    { token: "opaque", authorization: `Basic ${btoa("notes+server:s%3Ae%25cret")}` },
  ]);
});

test.each([
  ["inactive", { active: false }],
  ["active, but a string", { ...active, active: "true" }],
  ["of another issuer", { ...active, iss: "https://evil.example" }],
  ["for another server", { ...active, aud: "https://other.example" }],
  ["without an audience", { ...active, aud: undefined }],
  ["without an expiry", { ...active, exp: undefined }],
  ["not yet valid", { ...active, nbf: exp }],
  ["of nobody", { ...active, sub: undefined, client_id: undefined }],
  ["bound to a certificate", { ...active, cnf: { "x5t#S256": "abc" } }],
])("a token that is %s is refused with 401", async (_, answer) => {
  await using it = await startGuarded(answer);
  expect(await it.ask()).toBe(401);
});

test.each([
  ["a server error", 500],
  ["wrong credentials of the guard", 401],
  ["a redirect", 302],
  ["no JSON", "<html>"],
  ["an array", []],
  ["more than 64 KiB", { active: true, padding: "x".repeat(70_000) }],
])("an endpoint that cannot be used is 503, not a refused token: %s", async (_, answer) => {
  await using it = await startGuarded(answer);
  expect(await it.ask()).toBe(503);
  expect(it.errors).toHaveLength(1);
  expect(String(it.errors[0])).not.toContain("opaque");
});

test("a token is asked about once at a time; answers are kept for 30 seconds, refusals for 5", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    let isActive = true;
    await using it = await startGuarded(() => (isActive ? active : { active: false }));
    await Promise.all([it.ask(), it.ask(), it.ask()]);
    expect(it.asked).toHaveLength(1);
    isActive = false;
    vi.advanceTimersByTime(29_999);
    expect(await it.ask()).toMatchObject({ subject: "ada" });
    vi.advanceTimersByTime(1);
    expect(await it.ask()).toBe(401);
    expect(await it.ask()).toBe(401);
    expect(it.asked).toHaveLength(2);
    isActive = true;
    vi.advanceTimersByTime(5000);
    expect(await it.ask()).toMatchObject({ subject: "ada" });
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [{ endpoint: "http://login.example.com/introspect" }, "endpoint"],
  [{ client: { clientId: "", clientSecret: "x" } }, "client of introspection"],
  [{ audience: "x" }, "has no option"],
])("options that cannot work are refused: %j", (options, message) => {
  const endpoint = "https://login.example.com/introspect";
  expect(() => introspection({ endpoint, issuer: "https://login.example.com", client, ...options })).toThrow(
    message,
  );
});
