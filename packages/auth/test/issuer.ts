import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import {
  createGuard,
  type ResourceGuard,
  type ResourceGuardOptions,
  type VerifiedToken,
  type Verify,
} from "@tenon/auth/server";
import type { RequestDescription } from "@tenon/http/server";
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";

/**
 * An authorization server as far as resource servers see it: metadata, keys, introspection and
 * token exchange.
 */
export interface Issuer extends AsyncDisposable {
  readonly url: string;
  /** How often each path was requested. */
  readonly requests: Map<string, number>;
  readonly publicJwk: Awaited<ReturnType<typeof exportJWK>>;
  /** Answers a path in place of the issuer: a status, a body, or a promise of one of them. */
  readonly answers: Map<string, (form: URLSearchParams, request: IncomingMessage) => unknown>;
  /**
   * Signs an access token for `https://notes.example.com/mcp`. `undefined` leaves a claim or a
   * header out.
   */
  sign(claims?: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** What tests protect. */
export const resource = "https://notes.example.com/mcp";

/** Starts an issuer on a free port. */
export async function startIssuer(alg: "ES256" | "RS256" = "ES256"): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: "first", alg, use: "sig" };
  const requests = new Map<string, number>();
  const answers: Issuer["answers"] = new Map();
  const http = createServer((request, response) => {
    const path = request.url ?? "";
    requests.set(path, (requests.get(path) ?? 0) + 1);
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    const respond = async (): Promise<void> => {
      const answer = (await answers.get(path)?.(new URLSearchParams(body), request)) ?? 404;
      const status = typeof answer === "number" ? answer : 200;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    };
    request.on("end", () => void respond());
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  answers.set("/.well-known/oauth-authorization-server", () => ({ issuer: url, jwks_uri: `${url}/jwks` }));
  answers.set("/jwks", () => ({ keys: [publicJwk] }));
  return {
    url,
    requests,
    publicJwk,
    answers,
    sign(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = {
        iss: url,
        sub: "ada",
        aud: resource,
        iat: now,
        exp: now + 300,
        scope: "notes:read",
        ...claims,
      };
      return new SignJWT(JSON.parse(JSON.stringify(all)) as JWTPayload)
        .setProtectedHeader({ alg, typ: "at+jwt", kid: "first", ...header })
        .sign(privateKey);
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}

/** A request as a guard sees it. */
export function requestWith(
  headers: Readonly<Record<string, string>>,
  { method = "POST", url = "/mcp" }: { readonly method?: string; readonly url?: string } = {},
): RequestDescription {
  return { method, url, headers: { get: (name) => headers[name.toLowerCase()] } };
}

/** A request with a bearer token. */
export function bearer(token: string): RequestDescription {
  return requestWith({ authorization: `Bearer ${token}` });
}

/** What a verifier returns for a valid token. */
export const genuine: VerifiedToken = {
  issuer: "https://login.example.com",
  subject: "ada",
  clientId: "editor",
  audience: resource,
  scopes: ["notes:read"],
  // The worker that has loaded this module may run for an hour.
  expiresAt: Date.now() + 86_400_000,
};

/** A guard of {@link resource} for readers. */
export function guardFor(verify: Verify, options: Partial<ResourceGuardOptions> = {}): ResourceGuard {
  return createGuard({ resource, verify, scopes: ["notes:read"], ...options });
}
