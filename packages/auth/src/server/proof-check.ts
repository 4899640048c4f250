import type { RequestDescription } from "@tenon/http/server";

/** The token and the resource that a proof is for. */
export interface BoundToken {
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string;
  /** The URL of the resource, as clients know it. */
  readonly resource: string;
}

/** Why a proof is refused. */
export interface ProofProblem {
  /** Is sent to the client. */
  readonly description: string;
  /** The nonce that the client must use. */
  readonly nonce?: string | undefined;
}

/** Checks proofs of possession: `dpopProofs()`. */
export interface ProofCheck {
  /** The algorithms of proofs, for challenges. */
  readonly algorithms: readonly string[];
  /** Whether tokens without a binding are refused. */
  readonly isRequired: boolean;
  /** Returns why a request does not prove that its sender has the key of the token. */
  check(request: RequestDescription, bound: BoundToken): Promise<ProofProblem | undefined>;
}
