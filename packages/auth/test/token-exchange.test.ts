import { clientTokens, createGuard, isVerifierUnavailable, tokenExchange } from "@tenon/auth/server";
import type { AuthInfo } from "@tenon/protocol";
import { expect, test, vi } from "vitest";

import { bearer, resource, startIssuer } from "./issuer.ts";

const client = { clientId: "notes", clientSecret: "secret" };

/** The sender of a request with a token that the guard keeps. */
async function senderOf(token: string, keepToken = true): Promise<AuthInfo> {
  const verify = () => ({
    issuer: "https://login.example.com",
    subject: token,
    audience: resource,
    scopes: [],
    expiresAt: Date.now() + 60_000,
  });
  return (await createGuard({ resource, verify, keepToken }).authenticate(bearer(token))) as AuthInfo;
}

test("the token of a request is exchanged for one of another server, once for each user and target (R-727)", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await using issuer = await startIssuer();
    const forms: URLSearchParams[] = [];
    issuer.answers.set("/token", (form) => {
      forms.push(form);
      return { access_token: `for ${form.get("subject_token")}`, expires_in: 100, token_type: "Bearer" };
    });
    const exchange = tokenExchange({ endpoint: `${issuer.url}/token`, client });
    const ada = await senderOf("ada");
    const target = { audience: "calendar", scopes: ["events:read"] };
    const [one, other] = await Promise.all([exchange(ada, target), exchange(ada, target)]);
    expect(one).toMatchObject({ token: "for ada", scopes: ["events:read"] });
    expect(other).toEqual(one);
    expect(Object.fromEntries(forms[0] ?? [])).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: "ada",
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      audience: "calendar",
      scope: "events:read",
    });
    expect(await exchange(await senderOf("bob"), target)).toMatchObject({ token: "for bob" });
    await exchange(ada, { audience: "mail" });
    expect(forms).toHaveLength(3);
    vi.advanceTimersByTime(90_000);
    await exchange(ada, target);
    expect(forms).toHaveLength(4);
  } finally {
    vi.useRealTimers();
  }
});

test("a refusal names the code of the authorization server and no token; an outage is told apart", async () => {
  await using issuer = await startIssuer();
  const exchange = tokenExchange({ endpoint: `${issuer.url}/token`, client });
  const ada = await senderOf("canary");
  issuer.answers.set("/token", () => ({ error: "invalid_target", error_description: "canary" }));
  const refused = await exchange(ada, { audience: "x" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: expect.stringContaining("invalid_target") as string });
  expect(String(refused)).not.toContain("canary");
  issuer.answers.set("/token", () => 500);
  const down = await exchange(ada, { audience: "x" }).catch((error: unknown) => error);
  expect(isVerifierUnavailable(down)).toBe(true);
});

test("without a kept token or a target nothing is sent", async () => {
  const exchange = tokenExchange({ endpoint: "https://login.example.com/token", client });
  await expect(exchange(undefined, { audience: "x" })).rejects.toThrow("keepToken");
  await expect(exchange(await senderOf("ada", false), { audience: "x" })).rejects.toThrow("keepToken");
  await expect(exchange(await senderOf("ada"), {})).rejects.toThrow("audience");
  expect(() => tokenExchange({ endpoint: "http://login.example.com", client })).toThrow("endpoint");
});

test("a server requests tokens of its own, once for each target", async () => {
  await using issuer = await startIssuer();
  const forms: object[] = [];
  issuer.answers.set("/token", (form) => {
    forms.push(Object.fromEntries(form));
    return { access_token: `token ${forms.length}`, expires_in: 100, token_type: "Bearer" };
  });
  const tokenFor = clientTokens({ endpoint: `${issuer.url}/token`, client });
  const [one, other] = await Promise.all([tokenFor({ scopes: ["a"] }), tokenFor({ scopes: ["a"] })]);
  expect([one.token, other.token, (await tokenFor()).token]).toEqual(["token 1", "token 1", "token 2"]);
  expect(forms).toEqual([
    { grant_type: "client_credentials", scope: "a" },
    { grant_type: "client_credentials" },
  ]);
  issuer.answers.set("/token", (form) => {
    forms.push(form);
    return { access_token: "t", expires_in: "3599", scope: ["b", "c"] };
  });
  const asked = forms.length;
  await tokenFor({ scopes: ["b"] });
  expect(await tokenFor({ scopes: ["b"] })).toMatchObject({
    scopes: ["b", "c"],
    expiresAt: expect.any(Number) as number,
  });
  expect(forms).toHaveLength(asked + 1);
  expect(() => clientTokens({ endpoint: "nowhere", client })).toThrow("endpoint of clientTokens");
});
