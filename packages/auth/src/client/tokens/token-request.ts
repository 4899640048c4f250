import type { AuthError } from "../../shared/error.ts";
import type { ProofKey } from "../proof/proof.ts";
import type { ClientAuth } from "../register/client-auth.ts";
import type { Json } from "../requests.ts";
import type { IssuedTokens, OAuthError } from "./token-response.ts";

/** The client, as one authorization server knows it. */
export interface ClientIdentity {
  readonly id: string;
  readonly auth: ClientAuth;
  /**
   * The way in which the client became known. Only the registration of a `dynamic` client can be
   * deleted.
   */
  readonly source: "registered" | "document" | "dynamic" | "requested";
  /** The key of the record of a dynamic registration. */
  readonly registration?: string | undefined;
  /**
   * Whether its record changes when its credentials are accepted: they were rejected once, or were
   * not used for a day.
   */
  readonly isUnnoted?: boolean | undefined;
}

/** One request for tokens. */
export interface TokenRequest {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly client: ClientIdentity;
  /** `token_endpoint_auth_methods_supported`. */
  readonly methods?: readonly string[] | undefined;
  readonly grantType: string;
  /** Parameters that are `undefined` or empty are left out. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly asked: readonly string[];
  readonly proofKey?: ProofKey | undefined;
  readonly allowBearer?: boolean | undefined;
  /** Checks a successful response. Default: it must have tokens. */
  readonly read?: ((json: Json) => IssuedTokens | Promise<IssuedTokens>) | undefined;
  /** Ends the request before it is sent. Later the response is awaited nevertheless. */
  readonly signal: AbortSignal;
}

/** The outcome of a {@link TokenRequest}. */
export type TokenOutcome =
  | { readonly tokens: IssuedTokens; readonly reason?: undefined }
  | {
      readonly tokens?: undefined;
      /**
       * `transient`: the server certainly has not issued tokens. `lost`: it is unknown. `refused`:
       * the server has decided.
       */
      readonly reason: "transient" | "lost" | "refused";
      readonly oauth?: OAuthError | undefined;
      readonly error: AuthError;
    };
