import type { ClientAuth } from "./client-auth.ts";

/** A client that was registered in advance, at one authorization server. */
export interface RegisteredClient {
  /** The issuer of the authorization server. The credentials are never used for another issuer. */
  readonly issuer: string;
  readonly clientId: string;
  /** The authentication of the client. Default: it is a public client. */
  readonly auth?: ClientAuth | undefined;
}

/**
 * A Client ID Metadata Document, which is published at an https URL and describes the client to
 * every authorization server.
 */
export interface ClientDocument {
  /** The URL of the document. It is the identifier of the client. */
  readonly url: string;
  /**
   * The redirect URIs in the document. A loopback URI may be there without its port. By default
   * they are not compared.
   */
  readonly redirectUris?: readonly string[] | undefined;
  /** The authentication of the client. Default: it is a public client. */
  readonly auth?: ClientAuth | undefined;
}

/** The metadata of a client, which it sends when it registers. */
export interface ClientMetadata {
  /** The name that users see when they are asked for consent. Default: `"MCP client"`. */
  readonly name?: string | undefined;
  /** The address of a page about the client. */
  readonly uri?: string | undefined;
  /** The address of the client's logo. */
  readonly logoUri?: string | undefined;
  /** Identifies the software, whatever its version and its installation. */
  readonly softwareId?: string | undefined;
  readonly softwareVersion?: string | undefined;
}

/**
 * The ways in which a client becomes known to authorization servers. The first of these ways that a
 * server supports is used, in the order of the properties.
 */
export interface ClientRegistration {
  /** Clients that were registered in advance. */
  readonly registered?: readonly RegisteredClient[] | undefined;
  /** The document that describes the client. */
  readonly document?: ClientDocument | undefined;
  /**
   * Describes the client in a dynamic registration. `false`: the client does not register itself.
   */
  readonly metadata?: ClientMetadata | false | undefined;
  /**
   * Called if no other way is available. Returns a client, for example one that the user has
   * entered.
   */
  requestClient?(issuer: string): Promise<RegisteredClient | undefined> | RegisteredClient | undefined;
}
