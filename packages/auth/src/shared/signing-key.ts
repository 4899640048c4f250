/** A `CryptoKey`, under whatever name the types of the platform have it. */
export type SigningKey = Extract<
  Awaited<ReturnType<typeof crypto.subtle.generateKey>>,
  { readonly type: string }
>;

/** A JSON Web Key (RFC 7517), as far as it is read here. */
export interface StoredJwk {
  readonly kty?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  /** The private part. */
  readonly d?: string;
}

/** The purpose of a key. */
export type SigningUse = "sign" | "verify";

/** Imports one half of a stored key for signatures. */
export async function importJwk(
  jwk: StoredJwk,
  parameters: { readonly name: string; readonly namedCurve?: string },
  use: SigningUse,
): Promise<SigningKey> {
  const { d, ...shared } = jwk;
  const half = use === "sign" && d !== undefined ? { ...shared, d } : shared;
  return crypto.subtle.importKey("jwk", { ...half, key_ops: [use] }, parameters, true, [use]);
}
