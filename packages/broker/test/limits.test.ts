import { expect, test, vi } from "vitest";

import { createAccounts } from "../src/login/accounts.ts";
import { createMemoryAuthStore } from "../src/store/memory.ts";
import { createVault, never } from "../src/store/vault.ts";
import { boundedFetch } from "../src/upstream/bounded-fetch.ts";
import { createKeptTokens } from "../src/upstream/tokens.ts";
import { openBrowser } from "./browser.ts";
import { downstream } from "./downstream.ts";
import { comeBack, idToken, scriptedOidc, toProvider, type ScriptedOidc } from "./scripted.ts";
import { countingStore, startProtected, type Protected } from "./support.ts";

/** Logs a user in by a scripted provider. */
async function logIn({ origin }: Protected, provider: ScriptedOidc): Promise<void> {
  const browser = openBrowser((url) => !url.startsWith("http://127.0.0.1") || url.includes(":7777/"));
  const client = await downstream(origin);
  const at = await toProvider(browser, client.authorizationUrl());
  provider.nonce = at.searchParams.get("nonce") ?? "";
  await browser.submit(await comeBack(browser, at), "allow");
}

test("one login that is sent to its provider again and again fills no store, and costs nobody else a login", async () => {
  const { auth, puts } = countingStore();
  await using server = await startProtected({
    stores: { auth },
    limits: { maxLogins: 100 },
    addressOf: ({ headers }) => String(headers["user-agent"]),
  });
  const client = await downstream(server.origin);
  const from = (address: string) => ({ headers: { "user-agent": address } });
  const stranger = openBrowser((url) => url.includes("/development"));
  const page = await stranger.visit(client.authorizationUrl(), from("203.0.113.1"));
  const before = puts();
  const statuses: number[] = [];
  const form = Object.fromEntries(
    [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  for (let count = 0; count < 30; count++) {
    const sent = await stranger.visit(`${server.origin}/login`, {
      method: "POST",
      body: new URLSearchParams({ ...form, do: "with:development" }),
      ...from("203.0.113.1"),
    });
    statuses.push(sent.status);
  }
  expect(new Set(statuses.slice(10))).toEqual(new Set([429]));
  expect(puts() - before).toBe(10);
  const person = openBrowser((url) => url.includes("/development"));
  const own = await person.visit(client.authorizationUrl(), from("198.51.100.1"));
  expect((await person.submit(own, "with:development")).status).toBe(303);
});

test("a later login without a refresh token leaves the one of an earlier login, as at Google", async () => {
  const provider = scriptedOidc();
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  await logIn(server, provider);
  const [, refreshToken] = provider.issued;
  provider.answers.push([
    "/token",
    ({ form }) =>
      Response.json({
        access_token: form.get("grant_type") === "refresh_token" ? "renewed" : "second",
        token_type: "Bearer",
        expires_in: 3600,
        id_token: idToken({ nonce: provider.nonce }),
      }),
  ]);
  await logIn(server, provider);
  expect(await server.broker.upstreamToken(auth)).toBe("second");
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 3_590_000);
  try {
    expect(await server.broker.upstreamToken(auth)).toBe("renewed");
  } finally {
    clock.mockRestore();
  }
  const renewal = provider.asked.find(({ form }) => form.get("grant_type") === "refresh_token");
  expect(renewal?.form.get("refresh_token")).toBe(refreshToken);
});

test("a refresh token of a provider that was replaced is not sent to the provider that has its id now", async () => {
  const vault = createVault(createMemoryAuthStore(), ["k".repeat(40)]);
  const account = { subject: "test:1", upstream: "test", groups: [] };
  const kept = createKeptTokens(vault, new Map(), true);
  await createAccounts(vault, () => "https://old.example").loggedIn(account);
  await kept.keep(account.subject, { accessToken: "a", refreshToken: "r" }, never);
  await createAccounts(vault, () => "https://new.example").loggedIn(account);
  await kept.keep(account.subject, { accessToken: "b" }, never);
  expect((await vault.get("upstream", account.subject))?.value).toEqual({ accessToken: "b" });
});

test("the tokens of a login stay if the provider refuses the refresh token of an earlier one meanwhile", async () => {
  const provider = scriptedOidc();
  provider.expiresIn = 1;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  await logIn(server, provider);
  provider.answers.push([
    "/token",
    async ({ form }) => {
      if (form.get("grant_type") !== "refresh_token") {
        return Response.json({
          access_token: "late",
          token_type: "Bearer",
          expires_in: 3600,
          id_token: idToken({ nonce: provider.nonce }),
        });
      }
      await logIn(server, provider);
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    },
  ]);
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  expect(await server.broker.upstreamToken(auth)).toBe("late");
  expect(await server.broker.upstreamToken(auth)).toBe("late");
});

test("the tokens of a login stay if a refresh of earlier ones succeeds meanwhile, and the refresh token is the new one", async () => {
  const provider = scriptedOidc();
  provider.expiresIn = 1;
  await using server = await startProtected({
    upstream: provider.upstream,
    fetch: provider.fetch,
    keepUpstreamTokens: true,
  });
  await logIn(server, provider);
  const used: (string | null)[] = [];
  provider.answers.push([
    "/token",
    async ({ form }) => {
      const common = { token_type: "Bearer", expires_in: 3600 };
      if (form.get("grant_type") !== "refresh_token") {
        return Response.json({
          ...common,
          access_token: "late",
          id_token: idToken({ nonce: provider.nonce }),
        });
      }
      used.push(form.get("refresh_token"));
      if (used.length === 1) {
        await logIn(server, provider);
      }
      return Response.json({ ...common, access_token: "refreshed", refresh_token: "rotated" });
    },
  ]);
  const auth = { principal: "p", issuer: server.origin, subject: "test:alice-1" };
  expect(await server.broker.upstreamToken(auth)).toBe("late");
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 3_590_000);
  try {
    expect(await server.broker.upstreamToken(auth)).toBe("refreshed");
    expect(used.at(-1)).toBe("rotated");
  } finally {
    clock.mockRestore();
  }
});

test("a handler of fetch that passes addresses on keeps the limits of strangers apart", async () => {
  await using server = await startProtected({ limits: { maxRegistrationsPerAddress: 2 } });
  const [route] = server.broker.routes;
  const register = async (address: string): Promise<number | undefined> => {
    const body = JSON.stringify({
      redirect_uris: ["http://127.0.0.1:7777/"],
      token_endpoint_auth_method: "none",
    });
    const request = new Request(`${server.origin}/register`, { method: "POST", body });
    return (await route?.fetch(request, { address }))?.status;
  };
  const statuses: (number | undefined)[] = [];
  for (const address of ["203.0.113.1", "203.0.113.1", "203.0.113.1", "198.51.100.1"]) {
    statuses.push(await register(address));
  }
  expect(statuses).toEqual([201, 201, 429, 201]);
});

test("thirty tabs that share a login refresh it at the same time, whenever their access token ends", async () => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  let { refresh_token } = await client.redeem(await client.login());
  const now = Date.now();
  let lifetimes = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + lifetimes * 600_000);
  try {
    for (; lifetimes < 6; lifetimes++) {
      const used = { grant_type: "refresh_token", refresh_token };
      const renewed = await Promise.all(Array.from({ length: 30 }, () => client.token(used)));
      expect(new Set(renewed.map(({ status }) => status))).toEqual(new Set([200]));
      refresh_token = renewed[0]?.refresh_token ?? "";
    }
  } finally {
    clock.mockRestore();
  }
});

test("a client that refreshes without end fills no store, and keeps its login", async () => {
  await using server = await startProtected();
  const client = await downstream(server.origin);
  let { refresh_token } = await client.redeem(await client.login());
  const statuses: number[] = [];
  for (let count = 0; count < 70; count++) {
    const renewed = await client.token({ grant_type: "refresh_token", refresh_token });
    statuses.push(renewed.status);
    refresh_token = renewed.refresh_token ?? refresh_token;
  }
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(70);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 60_000);
  try {
    expect((await client.token({ grant_type: "refresh_token", refresh_token })).status).toBe(200);
  } finally {
    clock.mockRestore();
  }
});

test("a request to a provider ends with its signal, although fetch ignores it", async () => {
  const requests = boundedFetch(() => new Promise(() => {}), "the provider");
  const late = new AbortController();
  const response = requests("https://login.example/token", { signal: late.signal });
  late.abort(new Error("late"));
  await expect(response).rejects.toThrow("late");
});
