import { isRecord } from "@tenon/base";

import { fromBase64url } from "../shared/base64url.ts";
import { fastHash } from "./fast-hash.ts";

/** The algorithms of proofs that can be checked. */
export type ProofAlgorithm = "ES256" | "ES384" | "Ed25519" | "EdDSA" | "PS256" | "RS256";

/** A public key from a proof, reduced to the properties that define it. */
export interface PublicKey {
  readonly jwk: Readonly<Record<string, string>>;
  /** The SHA-256 thumbprint. @source RFC 7638 */
  readonly thumbprint: string;
}

interface KeyForm {
  readonly kty: string;
  readonly crv?: string;
  readonly import: Parameters<typeof crypto.subtle.importKey>[2];
  readonly verify: Parameters<typeof crypto.subtle.verify>[0];
}

const ed25519: KeyForm = {
  kty: "OKP",
  crv: "Ed25519",
  import: { name: "Ed25519" },
  verify: { name: "Ed25519" },
};

const forms: Readonly<Record<ProofAlgorithm, KeyForm>> = {
  ES256: {
    kty: "EC",
    crv: "P-256",
    import: { name: "ECDSA", namedCurve: "P-256" },
    verify: { name: "ECDSA", hash: "SHA-256" },
  },
  ES384: {
    kty: "EC",
    crv: "P-384",
    import: { name: "ECDSA", namedCurve: "P-384" },
    verify: { name: "ECDSA", hash: "SHA-384" },
  },
  Ed25519: ed25519,
  // The older name of the same algorithm.
  EdDSA: ed25519,
  PS256: {
    kty: "RSA",
    import: { name: "RSA-PSS", hash: "SHA-256" },
    verify: { name: "RSA-PSS", saltLength: 32 },
  },
  RS256: {
    kty: "RSA",
    import: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    verify: { name: "RSASSA-PKCS1-v1_5" },
  },
};

/** The algorithms that are known. */
export const proofAlgorithms = /* @__PURE__ */ Object.keys(forms) as readonly ProofAlgorithm[];

/** In the order of RFC 7638 §3.2. */
const required: Readonly<Record<string, readonly string[]>> = {
  EC: ["crv", "kty", "x", "y"],
  OKP: ["crv", "kty", "x"],
  RSA: ["e", "kty", "n"],
};
const minRsaBytes = 256;
const maxRsaBytes = 1024;

/**
 * Reads a public key. @returns `undefined` for a key of another algorithm, a weak key, and a
 * private key.
 */
export async function readPublicKey(jwk: unknown, algorithm: ProofAlgorithm): Promise<PublicKey | undefined> {
  const { kty, crv } = forms[algorithm];
  if (!isRecord(jwk) || jwk["kty"] !== kty || (crv !== undefined && jwk["crv"] !== crv)) {
    return undefined;
  }
  if (["d", "p", "q", "dp", "dq", "qi", "oth", "k"].some((name) => name in jwk)) {
    return undefined;
  }
  const names = required[kty] ?? [];
  const entries = names.map((name) => [name, jwk[name]] as const);
  if (!entries.every((entry): entry is readonly [string, string] => typeof entry[1] === "string")) {
    return undefined;
  }
  const size = kty === "RSA" ? fromBase64url(String(jwk["n"]))?.length : undefined;
  if (kty === "RSA" && (size === undefined || size < minRsaBytes || size > maxRsaBytes)) {
    return undefined;
  }
  const key = Object.fromEntries(entries);
  return { jwk: key, thumbprint: await fastHash(JSON.stringify(key)) };
}

/** Verifies a signature. False as well for a point that is not on the curve. */
export async function isSignedBy(
  { jwk }: PublicKey,
  algorithm: ProofAlgorithm,
  signature: Uint8Array<ArrayBuffer>,
  signed: string,
): Promise<boolean> {
  const form = forms[algorithm];
  try {
    const key = await crypto.subtle.importKey("jwk", { ...jwk }, form.import, false, ["verify"]);
    return await crypto.subtle.verify(form.verify, key, signature, new TextEncoder().encode(signed));
  } catch {
    return false;
  }
}
