import { generateKeyPairSync, randomUUID, sign } from "node:crypto";

import { oidc, type Upstream } from "../src/index.ts";
import type { Browser, Page } from "./browser.ts";

/** A request to a provider. */
export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
}

/** A provider that answers as a test tells it to. */
export interface Scripted {
  /** `fetch` of the broker. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly asked: Asked[];
  /** What each path answers, by the end of the URL. The last that fits is used. */
  readonly answers: [end: string, answer: (asked: Asked) => Response | Promise<Response>][];
}

/** Creates a provider with its answers. */
export function scripted(...answers: Scripted["answers"]): Scripted {
  const asked: Asked[] = [];
  return {
    asked,
    answers,
    async fetch(url, init) {
      const body =
        typeof init.body === "string" || init.body instanceof URLSearchParams ? String(init.body) : "";
      const request = {
        url,
        method: init.method ?? "GET",
        headers: new Headers(init.headers),
        form: new URLSearchParams(body),
      };
      asked.push(request);
      const answer = answers.findLast(([end]) => url.endsWith(end));
      return answer === undefined ? new Response("not found", { status: 404 }) : answer[1](request);
    },
  };
}

export const issuer = "https://login.example";
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** An ID token with the nonce of a login. */
export function idToken(claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = part({ alg: "ES256", typ: "JWT" });
  const body = part({
    iss: issuer,
    aud: "broker-client",
    iat: now,
    exp: now + 300,
    sub: "alice-1",
    ...claims,
  });
  const signature = sign("sha256", Buffer.from(`${head}.${body}`), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${head}.${body}.${signature.toString("base64url")}`;
}

/** A provider with OpenID Connect: `said` is its userinfo, `changed` changes its ID token. */
export interface ScriptedOidc extends Scripted {
  readonly upstream: Upstream;
  readonly said: Record<string, unknown>;
  readonly changed: Record<string, unknown>;
  /** The tokens that it issued. */
  readonly issued: string[];
  expiresIn: number;
  nonce: string;
}

/** Creates a provider with OpenID Connect that works. */
export function scriptedOidc(): ScriptedOidc {
  const issued: string[] = [];
  const token = (kind: string): string => {
    issued.push(`${kind}-${randomUUID()}`);
    return issued.at(-1) ?? "";
  };
  const provider = scripted(
    [
      "/.well-known/openid-configuration",
      () =>
        Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ["ES256"],
          token_endpoint_auth_methods_supported: ["client_secret_post"],
        }),
    ],
    ["/userinfo", () => Response.json(state.said)],
    [
      "/token",
      ({ form }) =>
        Response.json({
          access_token: token("up-access"),
          refresh_token: token("up-refresh"),
          token_type: "Bearer",
          expires_in: state.expiresIn,
          ...(form.get("grant_type") === "refresh_token" && state.changed["sub"] === undefined
            ? {}
            : { id_token: idToken({ nonce: state.nonce, ...state.changed }) }),
        }),
    ],
  );
  const state: ScriptedOidc = {
    ...provider,
    upstream: oidc({ issuer, clientId: "broker-client", clientSecret: "broker-secret-canary", id: "test" }),
    said: { sub: "alice-1", name: "Alice", email: "alice@example.com", email_verified: true },
    changed: {},
    issued,
    expiresIn: 3600,
    nonce: "",
  };
  return state;
}

/**
 * Begins a login at a provider: goes on from the page of the broker to where the provider would ask
 * for a password. The browser must stop there.
 */
export async function toProvider(browser: Browser, url: string, id = "test"): Promise<URL> {
  const page = await browser.visit(url);
  return new URL((await browser.submit(page, `with:${id}`)).url);
}

/** Comes back from a provider with a code. */
export function comeBack(
  browser: Browser,
  at: URL,
  changes: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const back = new URL(at.searchParams.get("redirect_uri") ?? "");
  const parameters = { code: "up-code-canary", state: at.searchParams.get("state") ?? "", ...changes };
  for (const [name, value] of Object.entries(parameters)) {
    back.searchParams.set(name, value);
  }
  return browser.visit(back.href);
}
