import type { AuthProvider } from "@tenon/http/client";
import type { RequestContext } from "@tenon/mcp";

/** A request for a credential. */
export interface CredentialRequest {
  /** The request of the MCP client, with {@link RequestContext.auth}: who calls. */
  readonly context: RequestContext;
  /** The scopes that the operation requires, for OAuth and OpenID Connect. */
  readonly scopes: readonly string[];
  /** The origin and path of the API's operation, without its query. */
  readonly url: string;
  readonly method: string;
  /** Aborted when the client cancels the call, and when the call takes too long. */
  readonly signal: AbortSignal;
}

/** A user name and a password, for HTTP Basic authentication. */
export interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

/**
 * The value of a credential: a key, a token without the word `Bearer`, or a name and a password.
 */
export type CredentialValue = string | BasicCredential;

/**
 * A credential: its value, or a function that returns the value for a request. A function that
 * returns `undefined` sends the request without the credential. A provider of `@tenon/auth` adds
 * its own headers, and is called again when the API refuses them.
 */
export type Credential =
  | CredentialValue
  | ((request: CredentialRequest) => CredentialValue | undefined | Promise<CredentialValue | undefined>)
  | AuthProvider;

/** Credentials by the names of the document's security schemes. */
export type Credentials = Readonly<Record<string, Credential>>;
