import { keepNewest } from "../../shared/keep-newest.ts";
import type { ProofKey, ProofOfPossession } from "./proof.ts";

/** The keys of one provider. */
export interface ProofKeys {
  /** Creates the key for new tokens; `undefined` if tokens are not bound. */
  create(): Promise<ProofKey | undefined>;
  /** Returns the string to store for a key, or `undefined` if the key stays in this process. */
  store(key: ProofKey): Promise<string | undefined>;
  /** Returns a key that was stored, or `undefined` if it is lost. */
  restore(thumbprint: string | undefined, stored: string | undefined): Promise<ProofKey | undefined>;
  readonly allowBearer: boolean;
}

/**
 * Maximum number of keys that are kept in memory: of the current tokens, of flows, and of tokens
 * that are being replaced.
 */
const maxKeys = 16;

/**
 * Creates {@link ProofKeys}.
 *
 * @param isShared - Whether tokens outlive this process. Otherwise keys are not extractable.
 */
export function createProofKeys(proof: ProofOfPossession | undefined, isShared: boolean): ProofKeys {
  const kept = new Map<string, ProofKey>();
  function keep(key: ProofKey): ProofKey {
    keepNewest(kept, key.thumbprint, key, maxKeys);
    return key;
  }
  return {
    allowBearer: proof?.allowBearer === true,
    create: async () => proof && keep(await proof.createKey(isShared)),
    store: async (key) => (isShared ? key.store() : undefined),
    async restore(thumbprint, stored) {
      const found = thumbprint === undefined ? undefined : kept.get(thumbprint);
      if (found !== undefined || stored === undefined || proof === undefined) {
        return found;
      }
      return proof.restoreKey(stored).then(keep, () => undefined);
    },
  };
}
