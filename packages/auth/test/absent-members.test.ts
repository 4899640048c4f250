import type { AuthInfo } from "@tenon/protocol";
import { describe, expect, test } from "vitest";

import { authorizationCode, deviceCode, isAuthError, type DevicePrompt } from "../src/client.ts";
import { introspection, tokenExchange } from "../src/server.ts";
import { keepToken } from "../src/server/kept-token.ts";
import type { ScriptedStep } from "../src/testing.ts";
import { passing, setUp } from "./setup.ts";

/** What servers write where they mean nothing. */
const nothing: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["an empty string", ""],
];

const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  return isAuthError(outcome) ? outcome.code : (outcome as { readonly status?: unknown } | undefined)?.status;
};

/** The optional members of every answer of a login, by the step that it answers. */
const optional: readonly (readonly [ScriptedStep, readonly string[]])[] = [
  [
    "resource-metadata",
    [
      "scopes_supported",
      "jwks_uri",
      "bearer_methods_supported",
      "resource_signing_alg_values_supported",
      "resource_name",
      "resource_documentation",
      "resource_policy_uri",
      "resource_tos_uri",
      "tls_client_certificate_bound_access_tokens",
      "authorization_details_types_supported",
      "dpop_signing_alg_values_supported",
      "dpop_bound_access_tokens_required",
      "signed_metadata",
    ],
  ],
  [
    "server-metadata",
    [
      "jwks_uri",
      "scopes_supported",
      "response_types_supported",
      "response_modes_supported",
      "grant_types_supported",
      "token_endpoint_auth_methods_supported",
      "token_endpoint_auth_signing_alg_values_supported",
      "service_documentation",
      "ui_locales_supported",
      "op_policy_uri",
      "op_tos_uri",
      "revocation_endpoint",
      "revocation_endpoint_auth_methods_supported",
      "introspection_endpoint",
      "introspection_endpoint_auth_methods_supported",
      "device_authorization_endpoint",
      "pushed_authorization_request_endpoint",
      "require_pushed_authorization_requests",
      "client_id_metadata_document_supported",
      "authorization_response_iss_parameter_supported",
      "dpop_signing_alg_values_supported",
      "authorization_grant_profiles_supported",
      "userinfo_endpoint",
      "end_session_endpoint",
      "subject_types_supported",
      "signed_metadata",
    ],
  ],
  [
    "register",
    [
      "client_secret",
      "client_secret_expires_at",
      "client_id_issued_at",
      "registration_access_token",
      "registration_client_uri",
      "redirect_uris",
      "token_endpoint_auth_method",
      "grant_types",
      "response_types",
      "client_name",
      "client_uri",
      "logo_uri",
      "scope",
      "contacts",
      "tos_uri",
      "policy_uri",
      "jwks_uri",
      "jwks",
      "software_id",
      "software_version",
      "application_type",
    ],
  ],
  [
    "token",
    [
      "token_type",
      "expires_in",
      "refresh_token",
      "scope",
      "id_token",
      "issued_token_type",
      "error",
      "error_description",
      "error_uri",
    ],
  ],
];

describe.each(optional)("in the answer %s", (step, members) => {
  test.each(members)("%s that says nothing counts as absent", async (member) => {
    for (const [what, value] of nothing) {
      const { servers, provider } = setUp();
      servers.script.always(step, { edit: (json) => ({ ...json, [member]: value }) });
      expect(await codeOf(servers.call(provider)), what).toBe(200);
      servers.tokens.expireAll();
      const isRefreshable = step !== "token" || member !== "refresh_token";
      expect(await codeOf(servers.call(provider)), `${what}, refreshed`).toBe(200);
      expect(servers.of("authorize"), what).toHaveLength(isRefreshable ? 1 : 2);
      await provider.logout({ forget: true });
    }
  });
});

test("lists may have empty members", async () => {
  const { servers, provider } = setUp({
    metadata: {
      code_challenge_methods_supported: ["", "S256"],
      scopes_supported: [""],
      token_endpoint_auth_methods_supported: ["", "none"],
    },
    resourceMetadata: { authorization_servers: ["", "https://as.example"], scopes_supported: ["", "a"] },
  });
  expect(await codeOf(servers.call(provider))).toBe(200);
  expect(servers.of("authorize")[0]?.parameters.get("scope")).toBe("a");
});

test.each(["resource_metadata", "scope", "error", "error_description", "realm"])(
  "a challenge whose %s is empty is one without it",
  async (name) => {
    const { servers, provider, events } = setUp();
    servers.script.next("mcp", { status: 401, headers: { "www-authenticate": `Bearer ${name}=""` } });
    expect(await codeOf(servers.call(provider))).toBe(200);
    expect(events.filter(({ type }) => type === "warning")).toEqual([]);
  },
);

test.each(["acr_values", "max_age"])("a challenge whose %s is empty asks for none", async (name) => {
  const { servers, provider } = setUp();
  await servers.call(provider);
  const challenge = `Bearer error="insufficient_user_authentication", scope="a", ${name}=""`;
  servers.script.next("mcp", { status: 401, headers: { "www-authenticate": challenge } });
  await codeOf(servers.call(provider));
  expect(servers.of("authorize")).toHaveLength(2);
  expect(servers.of("authorize")[1]?.parameters.has(name)).toBe(false);
});

test.each(["error", "error_description", "error_uri", "iss"])(
  "an authorization response whose %s is empty is one without it",
  async (name) => {
    const redirectUri = "https://host.example/callback";
    const { servers, provider } = setUp(
      { metadata: { authorization_response_iss_parameter_supported: false } },
      { grant: authorizationCode({ redirectUri }), interactive: "onLogin" },
    );
    const { url } = await provider.begin();
    const parameters = await servers.visit(url);
    parameters.set(name, "");
    await provider.finish(new URL(`${redirectUri}?${parameters.toString()}`));
    expect(await codeOf(servers.call(provider))).toBe(200);
  },
);

test.each([
  ...["verification_uri_complete", "interval", "error", "message"].flatMap((name) =>
    nothing.map(([what, value]) => [what, name, value] as const),
  ),
  ["a string of digits", "interval", "2"] as const,
  ["a string of digits", "expires_in", "600"] as const,
])("%s in the member %s of a device authorization response is tolerated", async (_, name, value) => {
  let prompt: DevicePrompt | undefined;
  const { servers, provider, clock } = setUp(
    { metadata: { device_authorization_endpoint: "https://as.example/device" } },
    {
      grant: deviceCode({
        show(shown) {
          prompt = shown;
        },
      }),
    },
  );
  const body = {
    device_code: "d",
    user_code: "U",
    verification_uri: "https://as.example/u",
    expires_in: 900,
  };
  servers.script.next("device", { body: { ...body, [name]: value } });
  servers.script.next("token", { body: { access_token: "t", token_type: "Bearer" } });
  expect(await passing(clock, codeOf(provider.login()))).toBe(undefined);
  expect(prompt?.completeUrl).toBe(undefined);
});

describe("endpoints that are not used", () => {
  const odd = [
    "",
    null,
    7,
    [],
    {},
    "http://as.example/x",
    "/relative",
    "javascript:alert(1)",
    "https://u:p@as.example",
  ];
  test.each([
    "revocation_endpoint",
    "introspection_endpoint",
    "device_authorization_endpoint",
    "pushed_authorization_request_endpoint",
    "jwks_uri",
    "userinfo_endpoint",
    "end_session_endpoint",
    "service_documentation",
  ])("an odd %s does not end a login, and is never requested", async (name) => {
    for (const value of odd) {
      const { servers, provider } = setUp({ metadata: { [name]: value } });
      expect(await codeOf(servers.call(provider)), JSON.stringify(value)).toBe(200);
      await provider.logout();
      expect(servers.of("revoke"), JSON.stringify(value)).toHaveLength(
        name === "revocation_endpoint" ? 0 : 2,
      );
      expect(servers.requests.filter(({ step }) => step === "unknown")).toEqual([]);
    }
  });

  test("an odd registration endpoint does not end the login of a registered client", async () => {
    for (const value of odd) {
      const registered = [{ issuer: "https://as.example", clientId: "mine" }];
      const { servers, provider } = setUp(
        { metadata: { registration_endpoint: value } },
        { client: { registered } },
      );
      expect(await codeOf(servers.call(provider)), JSON.stringify(value)).toBe(200);
    }
  });

  test("an odd authorization server does not end a login at another one", async () => {
    for (const value of odd) {
      const authorization_servers = [value, "https://as.example"];
      const { servers, provider } = setUp({ resourceMetadata: { authorization_servers } });
      expect(await codeOf(servers.call(provider)), JSON.stringify(value)).toBe(200);
    }
  });

  test("an odd pushed authorization request endpoint ends a login that requires it", async () => {
    const { servers, provider } = setUp({
      metadata: {
        pushed_authorization_request_endpoint: "http://as.example/push",
        require_pushed_authorization_requests: true,
      },
    });
    expect(await codeOf(servers.call(provider))).toBe("INSECURE_URL");
  });
});

describe("on the server", () => {
  const url = "https://as.example/x";
  const client = { clientId: "c", clientSecret: "s" };
  const request = { url, method: "POST", headers: new Headers() } as never;
  test.each(["iss", "sub", "client_id", "aud", "nbf", "iat", "exp", "cnf", "scope", "username", "jti"])(
    "%s of an introspection response that says nothing counts as absent",
    async (name) => {
      for (const [what, value] of nothing) {
        const body = { active: true, sub: "u", client_id: "c", exp: 9_999_999_999, [name]: value };
        const verify = introspection({
          endpoint: url,
          issuer: "https://as.example",
          client,
          fetch: () => Promise.resolve(Response.json(body)),
        });
        const verdict = await verify("t", request, new AbortController().signal);
        expect(verdict, what).not.toHaveProperty("rejected");
        expect(verdict, what).toMatchObject({ subject: name === "sub" ? "c" : "u", confirmation: undefined });
      }
    },
  );

  test.each(["scope", "expires_in", "issued_token_type", "token_type", "refresh_token", "error"])(
    "%s of a token exchange that says nothing counts as absent",
    async (name) => {
      for (const [what, value] of nothing) {
        const exchange = tokenExchange({
          endpoint: url,
          client,
          fetch: () => Promise.resolve(Response.json({ access_token: "t2", [name]: value })),
        });
        const auth = {} as AuthInfo;
        keepToken(auth, "t1");
        const found = await exchange(auth, { audience: "a", scopes: ["x"] }).catch((error: unknown) => error);
        expect(found, what).toMatchObject({ token: "t2", scopes: ["x"] });
      }
    },
  );
});
