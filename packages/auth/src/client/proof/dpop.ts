import { checkOptionNames } from "@tenon/base";
import { calculateThumbprint, generateKeyPair, generateProof, type KeyPair } from "dpop";

import { importJwk, type StoredJwk } from "../../shared/signing-key.ts";
import type { ProofKey, ProofOfPossession } from "./proof.ts";

/** Options of {@link dpop}. */
export interface DpopOptions {
  /** The algorithm of the signatures. Default: `"ES256"`. */
  readonly algorithm?: "ES256" | "Ed25519" | undefined;
  /**
   * Whether a token without the binding is accepted. By default such a token is refused with
   * `DOWNGRADE`.
   */
  readonly allowBearer?: boolean | undefined;
}

/**
 * Binds tokens to a key of this client, so that a stolen token is useless (RFC 9449). Pass it as
 * `proof`.
 *
 * @throws `TypeError` for options that do not exist.
 */
export function dpop(options: DpopOptions = {}): ProofOfPossession {
  checkOptionNames("dpop", options, "algorithm allowBearer");
  const { algorithm = "ES256", allowBearer = false } = options;
  return {
    scheme: "DPoP",
    algorithm,
    allowBearer,
    createKey: async (extractable) => proofKey(await generateKeyPair(algorithm, { extractable })),
    async restoreKey(stored) {
      const jwk = JSON.parse(stored) as StoredJwk;
      const parameters = algorithm === "ES256" ? { name: "ECDSA", namedCurve: "P-256" } : { name: "Ed25519" };
      const [privateKey, publicKey] = await Promise.all([
        importJwk(jwk, parameters, "sign"),
        importJwk(jwk, parameters, "verify"),
      ]);
      return proofKey({ privateKey, publicKey });
    },
  };
}

async function proofKey(pair: KeyPair): Promise<ProofKey> {
  return {
    thumbprint: await calculateThumbprint(pair.publicKey),
    sign: ({ method, url, token, nonce }) =>
      generateProof(pair, `${url.origin}${url.pathname}`, method, nonce, token),
    store: async () => JSON.stringify(await crypto.subtle.exportKey("jwk", pair.privateKey)),
  };
}
