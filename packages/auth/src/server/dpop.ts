import { checkOptionNames, isRecord, readLimits, type LimitRules } from "@tenon/base";
import type { RequestDescription } from "@tenon/http/server";
import type { ReplayStore } from "@tenon/stores";

import { fromBase64url } from "../shared/base64url.ts";
import { fastHash } from "./fast-hash.ts";
import { createNonces, type Nonces } from "./nonce.ts";
import type { BoundToken, ProofCheck, ProofProblem } from "./proof-check.ts";
import { isSignedBy, proofAlgorithms, readPublicKey, type ProofAlgorithm } from "./public-key.ts";
import { memoryReplayStore } from "./replay.ts";
import { checkedUrl } from "./resource-url.ts";

/** Options of {@link dpopProofs}. */
export interface DpopProofOptions {
  /** Whether tokens that are not bound to a key are refused. Default: `false`. */
  readonly required?: boolean | undefined;
  /**
   * The algorithms that proofs may have. Default:
   * `["ES256", "ES384", "Ed25519", "EdDSA", "PS256", "RS256"]`.
   */
  readonly algorithms?: readonly ProofAlgorithm[] | undefined;
  /**
   * Whether proofs need a nonce of this server, so that proofs cannot be made in advance. `secret`:
   * at least 32 bytes, the same for all instances of the server. Default: no nonces.
   */
  readonly nonces?: boolean | { readonly secret: Uint8Array } | undefined;
  /**
   * Remembers used proofs. Default: the memory of this process. Several instances need a shared
   * store.
   */
  readonly replay?: ReplayStore | undefined;
  /**
   * Further URLs at which clients reach the endpoint. Proofs are made for a URL; `Host` and
   * `X-Forwarded-*` are never trusted. Default: the `resource` only.
   */
  readonly urls?: readonly string[] | undefined;
  /** Bounds. */
  readonly limits?: DpopProofLimits | undefined;
}

/** Bounds of {@link dpopProofs}. */
export interface DpopProofLimits {
  /** Maximum length of a proof in characters. Longer proofs are rejected. Default: `4_096`. */
  readonly maxProofLength?: number | undefined;
  /**
   * Maximum difference between the time of a proof and the time of this server, in milliseconds.
   * Default: `300_000` (5 minutes).
   */
  readonly maxAgeMs?: number | undefined;
  /** How long a nonce is valid, in milliseconds. Default: `120_000` (2 minutes). */
  readonly nonceTtlMs?: number | undefined;
}

const limitRules: LimitRules<DpopProofLimits> = {
  maxProofLength: [4096, 1],
  maxAgeMs: [300_000, 0, 86_400_000],
  nonceTtlMs: [120_000, 1, 86_400_000],
};

/** The parts of a proof, unchecked. */
interface Proof {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The text that is signed. */
  readonly signed: string;
}

/**
 * Accepts access tokens that are bound to a key of the client: every request needs a fresh proof
 * that its sender has the key.
 *
 * @throws `TypeError` for options that do not exist, and for an algorithm that is not known.
 * @source RFC 9449 §4.3, §7
 */
export function dpopProofs(options: DpopProofOptions = {}): ProofCheck {
  checkOptionNames("dpopProofs", options, "required algorithms nonces replay urls limits", limitRules);
  const { algorithms = proofAlgorithms, nonces, replay = memoryReplayStore() } = options;
  const { maxProofLength, maxAgeMs, nonceTtlMs } = readLimits(options.limits, limitRules);
  const unknown = algorithms.find((name) => !proofAlgorithms.includes(name));
  if (unknown !== undefined || algorithms.length === 0) {
    throw new TypeError(`algorithms of dpopProofs must be some of ${proofAlgorithms.join(", ")}.`);
  }
  const more = (options.urls ?? []).map((url) => canonical(checkedUrl(url, "urls of dpopProofs").href));
  const ownNonces =
    nonces === undefined || nonces === false
      ? undefined
      : createNonces(typeof nonces === "object" ? nonces.secret : undefined, nonceTtlMs);

  /** Returns the mistake in the header or the signature of a proof. */
  async function forgery({ header, signature, signed }: Proof, jkt: string): Promise<string | undefined> {
    const algorithm = algorithms.find((name) => name === header["alg"]);
    if (header["typ"] !== "dpop+jwt" || algorithm === undefined || "crit" in header) {
      return "its header must have the typ dpop+jwt and one of the algs, and no crit";
    }
    const key = await readPublicKey(header["jwk"], algorithm);
    if (key === undefined || !(await isSignedBy(key, algorithm, signature, signed))) {
      return "its jwk must be a public key of its alg that has signed it";
    }
    return key.thumbprint === jkt ? undefined : "the access token is bound to another key";
  }

  async function misfit(
    { payload }: Proof,
    { method }: RequestDescription,
    { token, resource }: BoundToken,
  ): Promise<string | undefined> {
    const { htm, htu, iat, jti, ath } = payload;
    if (htm !== method) {
      return "its htm is not the method of the request";
    }
    const url = typeof htu === "string" ? canonical(htu) : undefined;
    if (url === undefined || (url !== canonical(resource) && !more.includes(url))) {
      return "its htu is not the URL of this server";
    }
    if (typeof iat !== "number" || !(Math.abs(Date.now() - iat * 1000) <= maxAgeMs)) {
      return "its iat is too far from the time of this server";
    }
    if (typeof jti !== "string" || jti === "" || ath !== (await fastHash(token))) {
      return "it needs a jti, and the hash of the access token as ath";
    }
    return undefined;
  }

  async function check(request: RequestDescription, bound: BoundToken): Promise<ProofProblem | undefined> {
    const proof = readProof(request, maxProofLength);
    if (typeof proof === "string") {
      return { description: proof };
    }
    const wrong = (await forgery(proof, bound.jkt)) ?? (await misfit(proof, request, bound));
    if (wrong !== undefined) {
      return { description: `The DPoP proof is not valid: ${wrong}` };
    }
    const { jti, iat, nonce } = proof.payload;
    if (ownNonces !== undefined && !(await isCurrent(ownNonces, nonce))) {
      return { description: "The DPoP proof needs a nonce of this server", nonce: await ownNonces.create() };
    }
    // A proof whose time is in the future stays valid for as much longer.
    const isNew: unknown = await replay.add(
      await fastHash(`${bound.jkt}.${String(jti)}`),
      (iat as number) * 1000 + maxAgeMs + 1000,
    );
    return isNew === true ? undefined : { description: "The DPoP proof was used before" };
  }

  return { algorithms, isRequired: options.required === true, check };
}

async function isCurrent(nonces: Nonces, nonce: unknown): Promise<boolean> {
  return typeof nonce === "string" && nonce.length < 100 && nonces.isValid(nonce);
}

/** Parses the proof of a request, or returns a sentence that describes the mistake. */
function readProof({ headers }: RequestDescription, maxLength: number): Proof | string {
  const text = headers.get("dpop");
  if (text === undefined || (headers.count?.("dpop") ?? 1) > 1 || text.length > maxLength) {
    return `A request with a bound access token must have one DPoP header of at most ${maxLength} characters`;
  }
  const [head = "", body = "", mac = "", ...rest] = text.split(".");
  const header = parsed(head);
  const payload = parsed(body);
  const signature = fromBase64url(mac);
  return header === undefined || payload === undefined || signature === undefined || rest.length > 0
    ? "The DPoP proof must be a signed JWT"
    : { header, payload, signature, signed: `${head}.${body}` };
}

function parsed(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = fromBase64url(part);
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A URL for comparison, without query and fragment: scheme and host in lower case, no default port,
 * unreserved characters not escaped.
 *
 * @source RFC 9449 §4.3, RFC 3986 §6.2
 */
function canonical(value: string): string | undefined {
  if (!URL.canParse(value)) {
    return undefined;
  }
  const { origin, pathname } = new URL(value);
  const path = pathname.replace(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w\-.~]/.test(character) ? character : escaped.toUpperCase();
  });
  return origin + path;
}
