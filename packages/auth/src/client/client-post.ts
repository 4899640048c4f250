import type { ProofKey } from "./proof.ts";
import type { Answer, Unanswered } from "./requests.ts";
import type { Setting } from "./setting.ts";
import type { ClientIdentity } from "./token-request.ts";

/** A form for an endpoint at which the client authenticates. */
export interface ClientPost {
  readonly url: URL;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly client: ClientIdentity;
  /** `token_endpoint_auth_methods_supported`. */
  readonly methods: readonly string[] | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  /** Proves the possession of a key. */
  readonly proofKey?: ProofKey | undefined;
  /** How long the response may take, in milliseconds. Default: `tokenTimeoutMs` of the client. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

const maxBytes = 65_536;

/** Sends a form to an endpoint of an authorization server. */
export async function postAsClient(setting: Setting, post: ClientPost): Promise<Answer | Unanswered> {
  const { url, issuer, tokenEndpoint, client, methods, proofKey, signal } = post;
  const body = new URLSearchParams(post.parameters);
  const headers = new Headers({
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
  });
  await client.auth.authenticate({
    issuer,
    tokenEndpoint,
    clientId: client.id,
    supported: methods,
    now: setting.date() + setting.nonces.skew(url),
    body,
    headers,
  });
  if (proofKey !== undefined) {
    headers.set("dpop", await proofKey.sign({ method: "POST", url, nonce: setting.nonces.get(url) }));
  }
  return setting.requests(url, {
    method: "POST",
    headers: Object.fromEntries(headers),
    body: String(body),
    timeoutMs: post.timeoutMs ?? setting.limits.tokenTimeoutMs,
    maxBytes,
    signal,
  });
}
