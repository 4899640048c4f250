import { inTime, unlessAborted } from "@tenon/base";

import { present } from "../../shared/present.ts";
import type { ProofKey } from "../proof/proof.ts";
import type { Answer, Unanswered } from "../requests.ts";
import { failure, type Setting } from "../setting.ts";
import type { ClientIdentity } from "./token-request.ts";
import { readError } from "./token-response.ts";

/** A form for an endpoint at which the client authenticates. */
export interface ClientPost {
  readonly url: URL;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly client: ClientIdentity;
  /** `token_endpoint_auth_methods_supported`. */
  readonly methods?: readonly string[] | undefined;
  /** Parameters that are `undefined` or empty are left out. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** Proves the possession of a key. */
  readonly proofKey?: ProofKey | undefined;
  /**
   * How long the authentication of the client, and then the response, may take, in milliseconds.
   * Default: `tokenTimeoutMs` of the client.
   */
  readonly timeoutMs?: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Whether `signal` cancels the request only before it is sent. Default: `false`. */
  readonly isKept?: boolean | undefined;
}

const maxBytes = 65_536;

/** Maximum number of clients about which it is remembered how they are recognized. */
const maxUnrecognized = 64;

/**
 * Errors of servers that did not find the client. Servers that read its identifier only from the
 * form return different errors for a form without it.
 */
const unrecognized: ReadonlySet<string | undefined> = new Set([
  "invalid_client",
  "unauthorized_client",
  "invalid_request",
]);

/**
 * Sends a form to an endpoint of an authorization server. A client whose identifier was only in
 * the `Authorization` header, and that was not recognized by it, is sent once more, in another
 * way.
 */
export async function postAsClient(setting: Setting, post: ClientPost): Promise<Answer | Unanswered> {
  const { unrecognizedClients: known } = setting;
  const { url, issuer, timeoutMs = setting.limits.tokenTimeoutMs, signal, isKept } = post;
  const key = JSON.stringify([issuer, post.client.id]);
  const isKnown = known.has(key);
  /** The program that authenticates the client may never end. */
  const preparedInTime = (isAgain: boolean): Promise<Prepared> =>
    inTime(unlessAborted(prepare(setting, post, isAgain), signal), timeoutMs, {
      expired() {
        const text = `The client must authenticate within ${timeoutMs} ms. Try again later.`;
        throw failure(setting, "AUTH_TEMPORARY", text, { issuer });
      },
      clock: setting.clock,
    });
  const send = ({ body, headers }: Prepared): Promise<Answer | Unanswered> =>
    setting.requests(url, {
      method: "POST",
      headers: Object.fromEntries(headers),
      body: String(body),
      timeoutMs,
      maxBytes,
      signal,
      isKept,
    });

  const first = await preparedInTime(isKnown);
  const answer = await send(first);
  if (isKnown || !isByHeader(first) || !isUnrecognized(answer)) {
    return answer;
  }
  const second = await preparedInTime(true);
  if (isByHeader(second)) {
    // A way to authenticate that knows no other form.
    return answer;
  }
  const again = await send(second);
  if (!isUnrecognized(again) && again.status !== undefined && known.size < maxUnrecognized) {
    known.add(key);
  }
  return again;
}

function isUnrecognized({ json }: Answer | Unanswered): boolean {
  return unrecognized.has(readError(json)?.error);
}

interface Prepared {
  readonly body: URLSearchParams;
  readonly headers: Headers;
}

/** Whether the client can be recognized by its `Authorization` header only. */
function isByHeader({ body, headers }: Prepared): boolean {
  return headers.has("authorization") && !body.has("client_id");
}

async function prepare(setting: Setting, post: ClientPost, isAgain: boolean): Promise<Prepared> {
  const { url, issuer, tokenEndpoint, client, methods, proofKey } = post;
  const body = new URLSearchParams(present(post.parameters));
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
    isUnrecognized: isAgain,
  });
  if (proofKey !== undefined) {
    headers.set("dpop", await proofKey.sign({ method: "POST", url, nonce: setting.nonces.get(url) }));
  }
  return { body, headers };
}
