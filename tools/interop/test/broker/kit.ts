import { createHash, randomBytes } from "node:crypto";

import { expect } from "vitest";

import { click, type Notes } from "./notes.ts";

const redirectUri = "http://127.0.0.1:7777/callback";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

async function post(url: string, form: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Answer["body"]) };
}

/** A program that does each step of a login itself. */
async function clientOf({ url: { origin, href } }: Notes) {
  const metadata = {
    client_name: "Kit",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token", deviceGrant],
    token_endpoint_auth_method: "none",
  };
  const registered = await fetch(`${origin}/register`, { method: "POST", body: JSON.stringify(metadata) });
  const { client_id } = (await registered.json()) as { readonly client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  return {
    async login(): Promise<string> {
      const page = new URL(`${origin}/authorize`);
      page.search = new URLSearchParams({
        response_type: "code",
        client_id,
        redirect_uri: redirectUri,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        resource: href,
        scope: "notes:read",
      }).toString();
      const end = await click(page, (to) => to.startsWith(redirectUri));
      return end.searchParams.get("code") ?? "";
    },
    redeem: (code: string) =>
      post(`${origin}/token`, {
        grant_type: "authorization_code",
        client_id,
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    refresh: (refresh_token = "") =>
      post(`${origin}/token`, { grant_type: "refresh_token", client_id, refresh_token }),
    revoke: (token = "") => post(`${origin}/revoke`, { client_id, token }),
    beginDevice: () => post(`${origin}/device-authorization`, { client_id, scope: "notes:read" }),
    poll: (device_code = "") =>
      post(`${origin}/token`, { grant_type: deviceGrant, client_id, device_code, resource: href }),
    async call(token = ""): Promise<number> {
      const response = await fetch(href, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "{}",
      });
      await response.body?.cancel();
      return response.status;
    },
  };
}

/**
 * Checks what a broker needs of its store, at a server whose requests go to its nodes in turn: each
 * step of a login is at another node than the step before.
 */
export async function checkStore(notes: Notes): Promise<void> {
  const client = await clientOf(notes);
  // A code works once, however many nodes are asked at the same time.
  const code = await client.login();
  const redeemed = await Promise.all([1, 2, 3, 4].map(() => client.redeem(code)));
  expect(redeemed.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  // A refresh token is replaced, and several refreshes at once are not a theft.
  const first = (await client.redeem(await client.login())).body;
  const renewed = await Promise.all([1, 2, 3].map(() => client.refresh(first["refresh_token"])));
  expect(renewed.map(({ status }) => status)).toEqual([200, 200, 200]);
  // The guard accepts the token, so that the request itself is what is wrong.
  expect(await client.call(renewed[0]?.body["access_token"])).toBe(400);
  // A program that ends its login has ended it at every node.
  const { access_token: access, refresh_token: refresh } = renewed[2]?.body ?? {};
  expect((await client.revoke(refresh)).status).toBe(200);
  expect((await client.refresh(refresh)).body).toMatchObject({ error: "invalid_grant" });
  expect(await client.call(access)).toBe(401);
  // A device polls at one node while its user is at another.
  const { body: device } = await client.beginDevice();
  expect((await client.poll(device["device_code"])).body).toMatchObject({ error: "authorization_pending" });
  await agreeToDevice(notes, device["user_code"] ?? "");
  expect((await client.poll(device["device_code"])).status).toBe(200);
}

async function agreeToDevice({ url: { origin } }: Notes, code: string): Promise<void> {
  const cookies = new Map<string, string>();
  const typed = await fetch(`${origin}/device`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ user_code: code }),
  });
  for (const line of typed.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const location = new URL(typed.headers.get("location") ?? "", origin);
  // The last page has no button: the pages have ended there.
  await click(location, () => false, cookies).catch(() => undefined);
}
