import { generateKeyPairSync, randomUUID, type JsonWebKey } from "node:crypto";

import { never, type Kept, type Vault } from "./vault.ts";

/** A key that signs access tokens: an EC key as a JWK. */
export interface SigningKey {
  readonly jwk: JsonWebKey & { readonly kid: string };
  /** In milliseconds since 1970. */
  readonly createdAt: number;
}

/** The keys that sign access tokens, the same in all processes. */
export interface SigningKeys {
  /** The current keys. The first key signs. */
  current(): Promise<readonly SigningKey[]>;
}

/** A key is published this long before it signs: verifiers remember keys for up to 10 minutes. */
const leadMs = 3_600_000;
/** How long a process uses the keys that it has read. */
const ttlMs = 60_000;
/** One that signs, one that waits, one whose tokens are still valid. */
const maxKeys = 3;

/** Creates the keys. Without a key, and after each `rotationMs`, a process makes a key. */
export function createSigningKeys(vault: Vault, issuer: string, rotationMs: number): SigningKeys {
  let known: readonly SigningKey[] = [];
  let readAt = 0;
  let reading: Promise<readonly SigningKey[]> | undefined;

  async function read(): Promise<readonly SigningKey[]> {
    const kept = await vault.update<readonly SigningKey[]>("signing", issuer, (before) => {
      const keys = before?.value ?? [];
      const newest = keys[0];
      if (newest !== undefined && newest.createdAt > Date.now() - rotationMs) {
        return "keep";
      }
      const after: Kept<readonly SigningKey[]> = {
        value: [newKey(), ...keys].slice(0, maxKeys),
        expiresAt: never,
      };
      return after;
    });
    known = inOrder(kept?.value ?? []);
    readAt = Date.now();
    return known;
  }

  return {
    current() {
      // The order may change without a new key: a key that was published long enough signs.
      if (known.length > 0 && Date.now() - readAt < ttlMs) {
        return Promise.resolve(known);
      }
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** The first key is the newest one that was published long enough, or the only one. */
function inOrder(keys: readonly SigningKey[]): readonly SigningKey[] {
  const signer = keys.find(({ createdAt }) => createdAt <= Date.now() - leadMs) ?? keys.at(-1);
  return signer === undefined ? [] : [signer, ...keys.filter((key) => key !== signer)];
}

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), alg: "ES256", use: "sig" };
  return { jwk, createdAt: Date.now() };
}

/** The public part of a key. */
export function publicKey({ jwk }: SigningKey): object {
  const { kty, crv, x, y, kid } = jwk;
  return { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
}
