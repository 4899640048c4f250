import type { FetchLike } from "@tenon/http/client";
import { describe, expect, test } from "vitest";

import { authorizationCode, clientSecret, isAuthError, type OAuthOptions } from "../src/client.ts";
import { setUp } from "./setup.ts";

const issuer = "https://as.example";
const secret = "the-secret";

interface Seen {
  readonly basic: string | undefined;
  readonly id: string | null;
  readonly secret: string | null;
}
/** An error code for a form that the server does not accept. */
type Check = (seen: Seen) => string | undefined;

/**
 * As the authorization server of the Python SDK 2: the form names the client, whatever the
 * method.
 */
const bodyOnly =
  (method: "client_secret_post" | "client_secret_basic"): Check =>
  (seen) =>
    seen.id === null || (method === "client_secret_post" ? seen.secret : seen.basic) === null
      ? "invalid_client"
      : method === "client_secret_basic" && seen.basic === undefined
        ? "invalid_client"
        : undefined;

/**
 * As strict servers: one way to authenticate, and no identifier in the form beside the header.
 */
const strict: Check = ({ basic, id, secret: sent }) =>
  (basic === undefined) === (sent === null) || (basic !== undefined && id !== null)
    ? "invalid_client"
    : undefined;

/** A login whose token endpoint accepts only some forms. */
function checked(check: Check, methods: readonly string[] | undefined, client?: OAuthOptions["client"]) {
  const seen: Seen[] = [];
  const setup = setUp(
    { metadata: { token_endpoint_auth_methods_supported: methods }, expiresIn: 3600 },
    (servers) => {
      const fetch: FetchLike = (input, init) => {
        if (!input.pathname.endsWith("/token") && !input.pathname.endsWith("/revoke")) {
          return servers.fetch(input, init);
        }
        const form = new URLSearchParams(typeof init.body === "string" ? init.body : "");
        const authorization = new Headers(init.headers).get("authorization") ?? "";
        const [, basic] = /^Basic (.+)$/.exec(authorization) ?? [];
        const one: Seen = { basic, id: form.get("client_id"), secret: form.get("client_secret") };
        seen.push(one);
        const error = check(one);
        const status = error === "invalid_request" ? 400 : 401;
        if (error !== undefined) {
          return Promise.resolve(
            Response.json({ error, error_description: "Missing client_id" }, { status }),
          );
        }
        const [id = ""] = atob(basic ?? "").split(":");
        form.set("client_id", form.get("client_id") ?? id);
        return servers.fetch(input, { ...init, body: String(form) });
      };
      return {
        fetch,
        grant: authorizationCode(servers.browser()),
        ...(client === undefined ? {} : { client }),
      };
    },
  );
  setup.servers.script.always("register", { edit: (json) => ({ ...json, client_secret: secret }) });
  const call = async (): Promise<unknown> => {
    const outcome: unknown = await setup.servers.call(setup.provider).catch((error: unknown) => error);
    return isAuthError(outcome) ? outcome.code : (outcome as { readonly status: number }).status;
  };
  return { ...setup, seen, call };
}

const both = ["client_secret_post", "client_secret_basic"];
const registered = (method?: "client_secret_basic" | "client_secret_post"): OAuthOptions["client"] => ({
  registered: [{ issuer, clientId: "mine", auth: clientSecret(secret, { method }) }],
});

describe("a client is recognized by", () => {
  test.each<[string, Check, readonly string[] | undefined, OAuthOptions["client"] | undefined, number]>([
    [
      "a server that reads the form only, registered with post",
      bodyOnly("client_secret_post"),
      both,
      undefined,
      1,
    ],
    [
      "such a server that supports only basic",
      bodyOnly("client_secret_basic"),
      ["client_secret_basic"],
      undefined,
      2,
    ],
    ["a strict server that supports both", strict, both, undefined, 1],
    ["a strict server that supports only basic", strict, ["client_secret_basic"], undefined, 1],
    ["a form only, when it was registered in advance", bodyOnly("client_secret_post"), both, registered(), 2],
    [
      "a form only, whose server names no methods",
      bodyOnly("client_secret_post"),
      undefined,
      registered(),
      2,
    ],
    [
      "a form beside the header, when basic was configured",
      bodyOnly("client_secret_basic"),
      both,
      registered("client_secret_basic"),
      2,
    ],
    ["a strict server, when it was registered in advance", strict, both, registered(), 1],
    [
      "a server that calls a form without it an invalid request",
      ({ id }) => (id === null ? "invalid_request" : undefined),
      ["client_secret_basic"],
      undefined,
      2,
    ],
    [
      "a server that calls it unauthorized",
      ({ id }) => (id === null ? "unauthorized_client" : undefined),
      ["client_secret_basic"],
      undefined,
      2,
    ],
  ])("%s", async (_, check, methods, client, sends) => {
    const { seen, call, servers, provider } = checked(check, methods, client);
    expect(await call()).toBe(200);
    expect(seen).toHaveLength(sends);
    // What was learned holds for refreshes and revocations.
    servers.tokens.expireAll();
    expect(await call()).toBe(200);
    expect(seen).toHaveLength(sends + 1);
    await provider.logout();
    expect(seen).toHaveLength(sends + 3);
    expect(seen.slice(-3).map(check)).toEqual([undefined, undefined, undefined]);
  });
});

test("a client that is refused in both forms is asked about twice, and no more", async () => {
  const { seen, call } = checked(() => "invalid_client", ["client_secret_basic"]);
  expect(await call()).toBe("CLIENT_REJECTED");
  expect(seen).toHaveLength(2);
});

test("a client whose own authentication knows one form only is sent once", async () => {
  const auth = {
    methods: ["client_secret_basic"],
    authenticate: ({ headers }: { readonly headers: Headers }) =>
      headers.set("authorization", `Basic ${btoa("mine:own")}`),
  };
  const client = { registered: [{ issuer, clientId: "mine", auth }] };
  const { seen, call } = checked(() => "invalid_client", both, client);
  expect(await call()).toBe("CLIENT_REJECTED");
  expect(seen).toHaveLength(1);
});

test.each([
  [["none", ...both], "none"],
  [undefined, "none"],
  [both, "client_secret_post"],
  [["client_secret_basic", "private_key_jwt"], "client_secret_basic"],
])("with %j a client registers as %s", async (methods, expected) => {
  const { call, servers } = checked(() => undefined, methods);
  await call();
  expect(JSON.parse(servers.of("register")[0]?.body ?? "")).toMatchObject({
    token_endpoint_auth_method: expected,
  });
});
