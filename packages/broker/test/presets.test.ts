import { expect, test } from "vitest";

import {
  atlassian,
  auth0,
  clerk,
  discord,
  entra,
  github,
  gitlab,
  google,
  linear,
  notion,
  oauth2,
  oidc,
  okta,
  presets,
  slack,
  supabase,
  workos,
  type Account,
  type Upstream,
} from "../src/index.ts";
import { openBrowser, type Browser } from "./browser.ts";
import { downstream } from "./downstream.ts";
import { comeBack, idToken, scripted, toProvider, type Scripted } from "./scripted.ts";
import { startProtected } from "./support.ts";

const outside = (): Browser =>
  openBrowser((url) => !url.startsWith("http://127.0.0.1") || url.includes(":7777/"));
const credentials = { clientId: "broker-client", clientSecret: "broker-secret-canary" };

/** What providers answer, in our own words. */
const shapes: readonly [
  name: string,
  upstream: Upstream,
  answers: Scripted["answers"],
  account: Partial<Account>,
][] = [
  [
    "github",
    github({ ...credentials, groups: true }),
    [
      [
        "/login/oauth/access_token",
        () => Response.json({ access_token: "t", scope: "read:user", token_type: "bearer" }),
      ],
      ["/user", () => Response.json({ id: 583_231, login: "octocat", name: null, email: null })],
      [
        "/user/emails",
        () =>
          Response.json([
            { email: "old@example.com", verified: false, primary: false },
            { email: "Octo@Example.com", verified: true, primary: true },
          ]),
      ],
      ["/user/orgs?per_page=100", () => Response.json([{ login: "acme", id: 1 }])],
    ],
    { subject: "github:583231", name: "octocat", email: "octo@example.com", groups: ["acme"] },
  ],
  [
    "discord",
    discord(credentials),
    [
      [
        "/api/oauth2/token",
        () => Response.json({ access_token: "t", token_type: "Bearer", expires_in: 604_800 }),
      ],
      [
        "/users/@me",
        () =>
          Response.json({ id: "80351110224678912", username: "nelly", email: "n@x.org", verified: false }),
      ],
    ],
    { subject: "discord:80351110224678912", name: "nelly", email: undefined },
  ],
  [
    "linear",
    linear({ ...credentials, groups: true }),
    [
      [
        "/oauth/token",
        () => Response.json({ access_token: "t", token_type: "Bearer", expires_in: 86_399, scope: "read" }),
      ],
      [
        "/graphql",
        ({ method }) =>
          method === "POST"
            ? Response.json({
                data: { viewer: { id: "u-1", name: "Lin", organization: { urlKey: "acme" } } },
              })
            : new Response("", { status: 405 }),
      ],
    ],
    { subject: "linear:u-1", name: "Lin", groups: ["acme"] },
  ],
  [
    "atlassian",
    atlassian(credentials),
    [
      ["/oauth/token", () => Response.json({ access_token: "t", expires_in: 3600, scope: "read:me" })],
      [
        "/me",
        () =>
          Response.json({
            account_id: "5b10:aa-1",
            account_type: "atlassian",
            account_status: "active",
            name: "Atla",
            email: "a@x.org",
          }),
      ],
    ],
    { subject: "atlassian:5b10%3Aaa-1", name: "Atla", email: undefined },
  ],
  [
    "notion",
    notion(credentials),
    [
      [
        "/v1/oauth/token",
        ({ headers }) =>
          headers.get("authorization")?.startsWith("Basic ") === true
            ? Response.json({
                access_token: "t",
                token_type: "bearer",
                refresh_token: null,
                workspace_id: "w-1",
                owner: { type: "user", user: { id: "n-1", name: "Nora", person: { email: "n@x.org" } } },
              })
            : Response.json({ error: "invalid_client" }, { status: 401 }),
      ],
    ],
    { subject: "notion:n-1", name: "Nora", email: undefined },
  ],
];

/** Providers with OpenID Connect: claims of the ID token, and the response of userinfo. */
const oidcShapes: readonly [
  name: string,
  upstream: Upstream,
  claims: Readonly<Record<string, unknown>>,
  said: Readonly<Record<string, unknown>> | undefined,
  account: Partial<Account>,
  accountPrompt: string | undefined,
][] = [
  [
    "google",
    google({ ...credentials, groups: true }),
    { azp: "broker-client", sub: "1076", hd: "acme.example", email: "g@acme.example", email_verified: true },
    {
      sub: "1076",
      name: "Gil",
      picture: "https://x.example/p",
      email: "g@acme.example",
      email_verified: true,
    },
    { subject: "google:1076", name: "Gil", email: "g@acme.example", groups: ["acme.example"] },
    "select_account",
  ],
  [
    "entra",
    entra({ ...credentials, tenant: "11111111-2222-3333-4444-555555555555", groups: true }),
    { sub: "pairwise", oid: "o-1", tid: "11111111-2222-3333-4444-555555555555", groups: ["g-1"], ver: "2.0" },
    { sub: "pairwise", name: "Enno", email: "any@anywhere.example" },
    { subject: "entra:o-1", name: "Enno", email: undefined, groups: ["g-1"] },
    "select_account",
  ],
  [
    "gitlab",
    gitlab({ ...credentials, groups: true }),
    { sub: "42", groups_direct: ["acme"] },
    { sub: "42", name: "Gita", email: "g@x.org", email_verified: true, groups: ["acme", "acme/tools"] },
    { subject: "gitlab:42", name: "Gita", email: "g@x.org", groups: ["acme", "acme/tools"] },
    undefined,
  ],
  [
    "slack",
    slack({ ...credentials, groups: true }),
    { sub: "U0R7JM", "https://slack.com/team_id": "T0R7GR", "https://slack.com/user_id": "U0R7JM" },
    {
      ok: true,
      sub: "U0R7JM",
      "https://slack.com/team_id": "T0R7GR",
      email: "k@x.org",
      email_verified: true,
    },
    { subject: "slack:T0R7GR/U0R7JM", email: "k@x.org", groups: ["T0R7GR"] },
    undefined,
  ],
  [
    "auth0",
    auth0({ ...credentials, issuer: "https://acme.eu.auth0.com/" }),
    { sub: "auth0|6a", nickname: "ada" },
    { sub: "auth0|6a", name: "Ada", email: "ada@x.org", email_verified: false },
    { subject: "auth0:auth0%7C6a", name: "Ada", email: undefined },
    "login",
  ],
  [
    "okta",
    okta({ ...credentials, issuer: "https://acme.okta.com", groups: true }),
    { sub: "00u1", groups: ["Everyone", "Writers"] },
    { sub: "00u1", name: "Oki", email: "o@x.org", email_verified: true },
    { subject: "okta:00u1", name: "Oki", email: "o@x.org", groups: ["Everyone", "Writers"] },
    "login",
  ],
  [
    "workos",
    workos({ ...credentials, issuer: "https://acme.authkit.app" }),
    { sub: "user_01", name: "Wo", email: "w@x.org", email_verified: true },
    undefined,
    { subject: "workos:user_01", name: "Wo", email: "w@x.org" },
    undefined,
  ],
  [
    "clerk",
    clerk({ ...credentials, issuer: "https://clerk.acme.example" }),
    { sub: "user_2x" },
    { sub: "user_2x", user_id: "user_2x", name: "Cleo", email: "c@x.org", email_verified: true },
    { subject: "clerk:user_2x", name: "Cleo", email: "c@x.org" },
    "login",
  ],
  [
    "supabase",
    supabase({ ...credentials, issuer: "https://abc.supabase.co/auth/v1" }),
    { sub: "3f-1", email: "s@x.org", email_verified: true, client_id: "broker-client" },
    { sub: "3f-1", name: "Su", email: "s@x.org", email_verified: true },
    { subject: "supabase:3f-1", name: "Su", email: "s@x.org" },
    undefined,
  ],
];

/** A login at a provider by its preset, up to the page on which the user decides. */
async function loginAt(
  id: string,
  upstream: Upstream,
  answers: Scripted["answers"],
  asked?: (at: URL) => void,
): Promise<{ readonly at: URL; readonly accounts: readonly Account[]; readonly again: URL }> {
  const provider = scripted(...answers);
  const accounts: Account[] = [];
  await using server = await startProtected({
    upstream,
    fetch: provider.fetch,
    allow(one) {
      accounts.push(one);
      return true;
    },
  });
  const browser = outside();
  const client = await downstream(server.origin);
  const at = await toProvider(browser, client.authorizationUrl(), id);
  asked?.(at);
  const page = await comeBack(browser, at);
  expect([page.text.includes('value="allow"'), server.errors]).toEqual([true, []]);
  const start = await browser.submit(page, "switch");
  return { at, accounts, again: new URL((await browser.submit(start, `with:${id}`)).url) };
}

test.each(shapes)("%s tells who the user is", async (id, upstream, answers, account) => {
  const { at, accounts, again } = await loginAt(id, upstream, answers);
  const preset = presets[id as "github"];
  expect(`${at.origin}${at.pathname}`).toBe(preset.authorizationEndpoint);
  expect(accounts[0]).toMatchObject(account);
  expect(again.searchParams.get("prompt")).toBe(
    preset.accountPrompt ?? preset.parameters?.["prompt"] ?? null,
  );
});

test.each(oidcShapes)(
  "%s tells who the user is, by OpenID Connect",
  async (id, upstream, claims, said, account, accountPrompt) => {
    const { issuer } = upstream;
    let nonce = "";
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      ...(said === undefined ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
      id_token_signing_alg_values_supported: ["ES256"],
    };
    const answers: Scripted["answers"] = [
      ["/.well-known/openid-configuration", () => Response.json(metadata)],
      [
        "/token",
        () =>
          Response.json({
            access_token: "t",
            token_type: "Bearer",
            expires_in: 3600,
            id_token: idToken({ iss: issuer, nonce, ...claims }),
          }),
      ],
      ["/userinfo", () => Response.json(said)],
    ];
    const { at, accounts, again } = await loginAt(id, upstream, answers, ({ searchParams }) => {
      nonce = searchParams.get("nonce") ?? "";
    });
    expect(at.searchParams.get("scope")).toContain("openid profile email");
    expect(accounts[0]).toMatchObject(account);
    expect(again.searchParams.get("prompt") ?? undefined).toBe(accountPrompt);
  },
);

test("a provider that lists the granted scopes in an array tells who the user is, as Twitch does", async () => {
  const url = "https://id.example/oauth2";
  const upstream = oauth2({
    ...credentials,
    id: "twitch",
    name: "Twitch",
    authorizationEndpoint: `${url}/authorize`,
    tokenEndpoint: `${url}/token`,
    userinfo: { url: `${url}/userinfo` },
    profile: { subject: "sub" },
  });
  const scope = ["user:read:email", "channel:read:polls"];
  const { accounts } = await loginAt("twitch", upstream, [
    ["/token", () => Response.json({ access_token: "t", token_type: "bearer", expires_in: 14_124, scope })],
    ["/userinfo", () => Response.json({ sub: "141981764" })],
  ]);
  expect(accounts[0]).toMatchObject({ subject: "twitch:141981764" });
});

test("a user who wants another account is sent with a prompt that the provider knows", async () => {
  const issuer = "https://login.example";
  const upstream = oidc({ ...credentials, issuer, id: "test" });
  const prompts: (string | null)[] = [];
  for (const known of [undefined, ["none", "select_account"], ["none", "login"], ["none"]]) {
    let nonce = "";
    const { again } = await loginAt(
      "test",
      upstream,
      [
        [
          "/.well-known/openid-configuration",
          () =>
            Response.json({
              issuer,
              authorization_endpoint: `${issuer}/authorize`,
              token_endpoint: `${issuer}/token`,
              id_token_signing_alg_values_supported: ["ES256"],
              ...(known === undefined ? {} : { prompt_values_supported: known }),
            }),
        ],
        [
          "/token",
          () => Response.json({ access_token: "t", token_type: "Bearer", id_token: idToken({ nonce }) }),
        ],
      ],
      ({ searchParams }) => {
        nonce = searchParams.get("nonce") ?? "";
      },
    );
    prompts.push(again.searchParams.get("prompt"));
  }
  expect(prompts).toEqual(["select_account", "select_account", "login", null]);
});

test.each([
  ["github", github(credentials), () => Response.json({ error: "bad_verification_code" })],
  ["slack", slack(credentials), () => Response.json({ ok: false, error: "invalid_code" })],
])("%s reports errors with the status 200, which are errors", async (id, upstream, answer) => {
  const metadata = {
    issuer: "https://slack.com",
    authorization_endpoint: "https://slack.com/openid/connect/authorize",
    token_endpoint: "https://slack.com/api/openid.connect.token",
  };
  const provider = scripted(
    ["/.well-known/openid-configuration", () => Response.json(metadata)],
    ["access_token", answer],
    ["openid.connect.token", answer],
  );
  await using server = await startProtected({ upstream, fetch: provider.fetch });
  const browser = outside();
  const client = await downstream(server.origin);
  const page = await comeBack(browser, await toProvider(browser, client.authorizationUrl(), id));
  expect(page.status).toBe(502);
  expect(page.text).toMatch(/bad_verification_code|invalid_code/);
});

test("every preset is complete, and has its source and its date", () => {
  for (const [name, preset] of Object.entries(presets)) {
    expect([name, preset.source.startsWith("https://"), /^\d{4}-\d\d-\d\d$/.test(preset.date)]).toEqual([
      name,
      true,
      true,
    ]);
    const isComplete = preset.isOidc || (preset.authorizationEndpoint ?? "") !== "";
    expect([name, isComplete]).toEqual([name, true]);
  }
  expect(() => entra({ ...credentials, tenant: "common" })).toThrow("UUID");
  expect(entra({ ...credentials, tenant: "11111111-2222-3333-4444-555555555555" }).issuer).toContain("/v2.0");
});
