/** A request that a {@link ProofKey} signs. */
export interface ProofRequest {
  readonly method: string;
  /** The URL that is requested. Its query and fragment are not signed. */
  readonly url: URL;
  /** The access token that is sent with the proof, if any. */
  readonly token?: string | undefined;
  /** The nonce that the server of this URL has issued last. */
  readonly nonce?: string | undefined;
}

/** The key to which tokens are bound. */
export interface ProofKey {
  /** The SHA-256 thumbprint of the public key (RFC 7638). */
  readonly thumbprint: string;
  /** Returns a proof for one request. Every proof has its own identifier. */
  sign(request: ProofRequest): Promise<string>;
  /** Returns the private key as a string. Rejects if the key is not extractable. */
  store(): Promise<string>;
}

/** Binds tokens to a key, so that a stolen token is useless: `dpop()`. */
export interface ProofOfPossession {
  /** The scheme of the `Authorization` header, and the name of the header with the proof. */
  readonly scheme: "DPoP";
  /** The algorithm of the signatures. */
  readonly algorithm: string;
  /** Whether a token without the binding is accepted. */
  readonly allowBearer: boolean;
  /** Creates a key. @param extractable - Whether `store()` must work. */
  createKey(extractable: boolean): Promise<ProofKey>;
  /** Restores a key that `store()` returned. */
  restoreKey(stored: string): Promise<ProofKey>;
}
