import type { ServerMetadata } from "../discover/metadata.ts";
import type { ResourceInfo } from "../discover/resource.ts";
import type { SafeAuthorizationUrl } from "../discover/url.ts";
import type { ProofKeys } from "../proof/proof-keys.ts";
import type { ProofKey } from "../proof/proof.ts";
import type { Registrar } from "../register/registrar.ts";
import type { Setting } from "../setting.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import type { IssuedTokens } from "../tokens/token-response.ts";

/** The tools for every step of a grant. */
export interface GrantTools {
  readonly setting: Setting;
  readonly registrar: Registrar;
  readonly keys: ProofKeys;
  /** Ends the grant. */
  readonly signal: AbortSignal;
}

/** The facts from which a grant obtains tokens. */
export interface GrantContext extends GrantTools {
  readonly resource: ResourceInfo;
  readonly server: ServerMetadata;
  readonly scopes: readonly string[];
  /** `prompt` of the authorization request. */
  readonly prompt: string | undefined;
  /** `acr_values` and `max_age` that a resource server requires (RFC 9470). */
  readonly acrValues: string | undefined;
  readonly maxAge: string | undefined;
}

/** Tokens, and the data for renewing and revoking them. */
export interface IssuedGrant {
  readonly tokens: IssuedTokens;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  readonly methods?: readonly string[] | undefined;
  readonly client: ClientIdentity;
  readonly resource?: string | undefined;
  readonly asked: readonly string[];
  readonly proofKey: ProofKey | undefined;
}

/** The first half of a login: the user visits `url`, and the response has `state`. */
export interface BegunLogin {
  readonly url: SafeAuthorizationUrl;
  readonly state: string;
}

/**
 * A way to obtain tokens, created by a function such as `authorizationCode` or `clientCredentials`.
 */
export interface Grant {
  /** Whether a user takes part. Tokens of other grants are obtained whenever they are needed. */
  readonly isInteractive: boolean;
  /**
   * The extension of the protocol that describes this grant, if it is one: the client declares it.
   * @source R-710
   */
  readonly extension?: string | undefined;
  /** Obtains tokens. @throws `AuthError`. */
  obtain(context: GrantContext): Promise<IssuedGrant>;
  /** Starts a login that another process may finish. */
  begin?(context: GrantContext): Promise<BegunLogin>;
  /** Finishes a login. @throws `AuthError`. */
  finish?(tools: GrantTools, parameters: URLSearchParams): Promise<IssuedGrant>;
}
