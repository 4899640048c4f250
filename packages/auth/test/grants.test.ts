import { generateKeyPairSync } from "node:crypto";

import { importSPKI, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";

import {
  clientCredentials,
  clientSecret,
  deviceCode,
  enterprise,
  privateKeyJwt,
  workload,
  type DevicePrompt,
  type Grant,
} from "../src/client.ts";
import { createScriptedAuthorization } from "../src/testing.ts";
import { passing, setUp } from "./setup.ts";

const issuer = "https://as.example";

describe("client credentials (R-762, R-763)", () => {
  test("a secret is sent in the Authorization header, form-encoded once, with resource and scopes", async () => {
    const auth = clientSecret("p%:ä secret-._*");
    const { servers, provider } = setUp(
      { scope: "notes" },
      { grant: clientCredentials(), client: { registered: [{ issuer, clientId: "a-b_c", auth }] } },
    );
    expect((await servers.call(provider)).status).toBe(200);
    const [request] = servers.of("token");
    const [, basic = ""] = (request?.headers.get("authorization") ?? "").split(" ");
    expect(Buffer.from(basic, "base64").toString()).toBe("a-b_c:p%25%3A%C3%A4+secret-._*");
    expect(Object.fromEntries(request?.parameters ?? [])).toEqual({
      grant_type: "client_credentials",
      resource: servers.server,
      scope: "notes",
    });
    expect(servers.of("register")).toEqual([]);
  });

  test("basicEncoding raw is for servers that do not decode, client_secret_post for servers that support nothing else", async () => {
    for (const [auth, methods, expected] of [
      [clientSecret("a%b", { basicEncoding: "raw" }), ["client_secret_basic"], undefined],
      [clientSecret("a%b"), ["client_secret_post"], "a%b"],
    ] as const) {
      const { servers, provider } = setUp(
        { metadata: { token_endpoint_auth_methods_supported: methods } },
        { grant: clientCredentials(), client: { registered: [{ issuer, clientId: "c", auth }] } },
      );
      await servers.call(provider);
      const [request] = servers.of("token");
      const basic = expected === undefined ? `Basic ${btoa("c:a%b")}` : null;
      expect(request?.headers.get("authorization")).toBe(basic);
      expect(request?.parameters.get("client_secret") ?? undefined).toBe(expected);
    }
  });

  test("a key signs assertions for the issuer, without client_id, each with its own identifier", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    const { servers, provider, clock } = setUp(
      { refreshTokens: false },
      {
        grant: clientCredentials(),
        client: {
          registered: [{ issuer, clientId: "c", auth: privateKeyJwt({ key: pem, alg: "ES256", kid: "k1" }) }],
        },
      },
    );
    await servers.call(provider);
    clock.advance(3_600_001);
    await servers.call(provider);
    const seen = new Set<unknown>();
    const key = await importSPKI(publicKey.export({ type: "spki", format: "pem" }) as string, "ES256");
    for (const { parameters, at } of servers.of("token")) {
      expect(parameters.has("client_id")).toBe(false);
      expect(parameters.get("client_assertion_type")).toBe(
        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      );
      const { payload, protectedHeader } = await jwtVerify(parameters.get("client_assertion") ?? "", key, {
        audience: issuer,
        issuer: "c",
        subject: "c",
        currentDate: new Date(clock.offset + at),
      });
      expect(protectedHeader.kid).toBe("k1");
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
      seen.add(payload.jti);
    }
    expect(seen.size).toBe(2);
  });

  test("a clock that differs from the server's is corrected once, and stays corrected", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    const { servers, provider, clock } = setUp(
      { refreshTokens: false },
      {
        grant: clientCredentials(),
        client: { registered: [{ issuer, clientId: "c", auth: privateKeyJwt({ key: pem }) }] },
      },
    );
    const date = new Date(clock.date() + 600_000).toUTCString();
    servers.script.next("token", { status: 401, body: { error: "invalid_client" }, headers: { date } });
    expect((await servers.call(provider)).status).toBe(200);
    clock.advance(3_600_001);
    await servers.call(provider);
    const issuedAt = servers.of("token").map(({ parameters, at }) => {
      const [, payload = ""] = (parameters.get("client_assertion") ?? "").split(".");
      const { iat } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { iat: number };
      return Math.round((iat * 1000 - clock.offset - at) / 60_000);
    });
    expect(issuedAt).toEqual([0, 10, 10]);
  });

  test("a step-up requests the union once, and 64 calls make one token request", async () => {
    const { servers, provider } = setUp(
      { scope: "a", requires: ({ body }) => (body === "b" ? ["b"] : []) },
      {
        grant: clientCredentials(),
        client: { registered: [{ issuer, clientId: "c", auth: clientSecret("s") }] },
      },
    );
    await Promise.all(Array.from({ length: 64 }, () => servers.call(provider)));
    expect(servers.of("token")).toHaveLength(1);
    expect((await servers.call(provider, { body: "b" })).status).toBe(200);
    expect(servers.of("token").map(({ parameters }) => parameters.get("scope"))).toEqual(["a", "a b"]);
  });

  test("A-012: a secret that was registered for another issuer is never sent, and the client does not register itself", async () => {
    const { servers, provider } = setUp(
      {},
      {
        grant: clientCredentials(),
        client: {
          registered: [{ issuer: "https://other.example", clientId: "c", auth: clientSecret("secret") }],
        },
      },
    );
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "ISSUER_CHANGED", issuer });
    expect(servers.of("token")).toEqual([]);
    expect(servers.of("register")).toEqual([]);
  });
});

describe("workload identity", () => {
  test("the platform's assertion is passed on, and it knows what it is for", async () => {
    const targets: unknown[] = [];
    const { servers, provider } = setUp(
      {},
      {
        grant: workload({
          clientId: "c",
          assertion: ({ issuer: at, tokenEndpoint, resource }) => {
            targets.push({ issuer: at, tokenEndpoint, resource });
            return "a.b.c";
          },
        }),
      },
    );
    expect((await servers.call(provider)).status).toBe(200);
    expect(targets).toEqual([{ issuer, tokenEndpoint: `${issuer}/token`, resource: servers.server }]);
    expect(Object.fromEntries(servers.of("token")[0]?.parameters ?? [])).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: "a.b.c",
      client_id: "c",
      resource: servers.server,
    });
    expect(servers.of("register")).toEqual([]);
  });

  test("a refused assertion ends it: the same assertion is not sent again, a new one is", async () => {
    let assertion = "expired";
    const { servers, provider, clock } = setUp({}, { grant: workload({ assertion: () => assertion }) });
    servers.script.next("token", { status: 400, body: { error: "invalid_grant" } });
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "GRANT_EXPIRED" });
    clock.advance(600_000);
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "GRANT_EXPIRED" });
    expect(servers.of("token")).toHaveLength(1);
    assertion = "fresh";
    clock.advance(600_000);
    expect((await servers.call(provider)).status).toBe(200);
  });
});

describe("enterprise-managed authorization (R-764, R-765, R-766)", () => {
  const idJag = "urn:ietf:params:oauth:token-type:id-jag";

  function setUpEnterprise(answer: Record<string, unknown> = {}) {
    const tokens: string[] = [];
    let idp: ReturnType<typeof createScriptedAuthorization> | undefined;
    const all = setUp({ scope: "notes" }, (servers) => {
      return {
        grant: enterprise({
          idp: { issuer: "https://idp.example", clientId: "at-idp", auth: clientSecret("idp-secret") },
          subjectToken: () => {
            tokens.push(`id-token-${tokens.length}`);
            return tokens.at(-1) ?? "";
          },
        }),
        client: { registered: [{ issuer, clientId: "at-as", auth: clientSecret("as-secret") }] },
        fetch: (input, init) =>
          (input.host === "idp.example" ? idp : servers)?.fetch(input, init) ??
          Promise.reject(new Error("none")),
      };
    });
    idp = createScriptedAuthorization({
      clock: all.clock,
      issuer: "https://idp.example",
      server: "https://none.example",
    });
    const answered = {
      access_token: "the-id-jag",
      issued_token_type: idJag,
      token_type: "N_A",
      expires_in: 60,
      ...answer,
    };
    idp.script.always("token", { body: answered });
    return { ...all, idp };
  }

  test("the sign-on is exchanged at the identity provider, and the assertion redeemed at the authorization server", async () => {
    const { servers, provider, idp } = setUpEnterprise();
    expect((await servers.call(provider)).status).toBe(200);
    const [exchange] = idp.of("token");
    expect(Object.fromEntries(exchange?.parameters ?? [])).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: idJag,
      audience: issuer,
      resource: servers.server,
      scope: "notes",
      subject_token: "id-token-0",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    });
    expect(exchange?.headers.get("authorization")).toBe(`Basic ${btoa("at-idp:idp-secret")}`);
    const [grant] = servers.of("token");
    expect(grant?.parameters.get("assertion")).toBe("the-id-jag");
    expect(grant?.headers.get("authorization")).toBe(`Basic ${btoa("at-as:as-secret")}`);
    expect([...servers.of("authorize"), ...servers.of("register")]).toEqual([]);
  });

  test("a refused assertion is replaced once", async () => {
    const { servers, provider, idp } = setUpEnterprise();
    servers.script.next("token", { status: 400, body: { error: "invalid_grant" } });
    expect((await servers.call(provider)).status).toBe(200);
    expect(idp.of("token").map(({ parameters }) => parameters.get("subject_token"))).toEqual([
      "id-token-0",
      "id-token-1",
    ]);
    const again = setUpEnterprise();
    again.servers.script.always("token", { status: 400, body: { error: "invalid_grant" } });
    await expect(again.servers.call(again.provider)).rejects.toMatchObject({ code: "GRANT_EXPIRED" });
    expect(again.servers.of("token")).toHaveLength(2);
  });

  test.each([
    ["an access token", { issued_token_type: "urn:ietf:params:oauth:token-type:access_token" }],
    ["a bearer token", { token_type: "Bearer" }],
    ["nothing", { access_token: undefined }],
  ])("%s in place of an ID-JAG is not passed on", async (_, answer) => {
    const { servers, provider } = setUpEnterprise(answer);
    await expect(servers.call(provider)).rejects.toMatchObject({
      code: "TOKEN_INVALID",
      issuer: "https://idp.example",
    });
    expect(servers.of("token")).toEqual([]);
  });

  test("an authorization server that declares other grant profiles only is not sent an assertion", async () => {
    const { servers, provider, idp } = setUpEnterprise();
    servers.script.always("server-metadata", {
      edit: (json) => ({ ...json, authorization_grant_profiles_supported: ["urn:other"] }),
    });
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "METADATA_INVALID" });
    expect(idp.requests).toEqual([]);
  });
});

describe("device code", () => {
  const device = { metadata: { device_authorization_endpoint: `${issuer}/device` } };
  const begun = {
    device_code: "device-1",
    user_code: "ABCD-EFGH",
    verification_uri: `${issuer}/activate`,
    verification_uri_complete: `${issuer}/activate?user_code=ABCD-EFGH`,
    expires_in: 600,
    interval: 5,
  };

  test("the user is shown a code, and the token endpoint is polled no faster than it says", async () => {
    const prompts: DevicePrompt[] = [];
    const { servers, provider, clock } = setUp(device, {
      grant: deviceCode({ show: (prompt) => void prompts.push(prompt) }),
    });
    servers.script.next("device", { body: begun });
    const pending = { status: 400, body: { error: "authorization_pending" } };
    servers.script.next("token", pending, { status: 400, body: { error: "slow_down" } }, pending);
    expect((await passing(clock, servers.call(provider), 1000)).status).toBe(200);
    expect(prompts).toMatchObject([
      { userCode: "ABCD-EFGH", url: { href: `${issuer}/activate`, host: "as.example" } },
    ]);
    const [first = 0, ...others] = servers.of("token").map(({ at }) => at);
    expect(first).toBeGreaterThanOrEqual(5000);
    expect(others.map((at, index) => at - ([first, ...others][index] ?? 0))).toEqual([5000, 10_000, 10_000]);
  });

  test("a code that nobody enters expires, and a denial is typed", async () => {
    const { servers, provider, clock } = setUp(device, { grant: deviceCode({ show: () => {} }) });
    servers.script.next("device", { body: { ...begun, expires_in: 20 } });
    servers.script.always("token", { status: 400, body: { error: "authorization_pending" } });
    await expect(passing(clock, servers.call(provider), 1000)).rejects.toMatchObject({
      code: "CALLBACK_TIMEOUT",
    });
    servers.script.next("device", { body: begun });
    servers.script.always("token", { status: 400, body: { error: "access_denied" } });
    await expect(passing(clock, provider.login(), 1000)).rejects.toMatchObject({ code: "USER_DENIED" });
  });

  test("A-013: a verification page that is not https is not shown", async () => {
    const shown: unknown[] = [];
    const { servers, provider } = setUp(device, {
      grant: deviceCode({ show: (prompt) => void shown.push(prompt) }),
    });
    servers.script.next("device", { body: { ...begun, verification_uri: "javascript:alert(1)" } });
    await expect(servers.call(provider)).rejects.toMatchObject({ code: "INSECURE_URL" });
    expect(shown).toEqual([]);
  });
});

test("R-710: a grant that an extension describes names it, and others name none", () => {
  const extensionOf = (grant: Grant): string | undefined => setUp({}, { grant }).provider.extension;
  const subjectToken = (): string => "";
  expect(extensionOf(clientCredentials())).toBe("io.modelcontextprotocol/oauth-client-credentials");
  expect(extensionOf(enterprise({ idp: { issuer, clientId: "c" }, subjectToken }))).toBe(
    "io.modelcontextprotocol/enterprise-managed-authorization",
  );
  expect(extensionOf(deviceCode({ show: () => {} }))).toBeUndefined();
  expect(setUp().provider.extension).toBeUndefined();
});
