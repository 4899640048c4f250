import { MetaKey, metaOf } from "./meta.ts";
import type { Era } from "./revisions.ts";

/** Header fields, which can be iterated: each name, in lower case, with its value. */
export interface RequestHeaders extends Iterable<readonly [name: string, value: string]> {
  /** The value of a field, whose name is in any case; `undefined` if the field was not sent. */
  get(name: string): string | undefined;
}

/** The HTTP request that carried a message. */
export interface HttpRequestInfo {
  /** The HTTP method, in capitals: `POST`. */
  readonly method: string;
  /** The target as it was received: a path with its query, or a whole URL. */
  readonly url: string;
  /** The header fields. Without credentials if the sender was authenticated. */
  readonly headers: RequestHeaders;
  /**
   * The IP address of the client, or of the last proxy before this server. Where the runtime does
   * not provide the address, as with `fetch`, it is `undefined`.
   */
  readonly address?: string | undefined;
  /**
   * Ends the event stream of the response before the response is sent. The client then resumes the
   * stream. If the client cannot resume, the method does nothing.
   *
   * @source R-350
   */
  closeStream?(): void;
}

/** The sender of a message, as the authentication of the server established it. */
export interface AuthInfo {
  /** Unique and permanent name of the user or the client. Sessions are bound to it. */
  readonly principal: string;
  /** The permissions of the sender. */
  readonly scopes?: readonly string[] | undefined;
  /** Anything else that handlers should know. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** The issuer of the access token. */
  readonly issuer?: string | undefined;
  /** The user at the issuer, or the client itself if it acts without a user. */
  readonly subject?: string | undefined;
  /** The OAuth client that sent the request. */
  readonly clientId?: string | undefined;
  /** The audiences of the access token. */
  readonly audience?: readonly string[] | undefined;
  /**
   * When the credentials expire, in milliseconds since 1970 (`Date.now()`). Event streams that a
   * client reads without a request of its own end 30 s later, so that the client reopens them with
   * fresh credentials. Running requests continue. By default the streams do not end.
   */
  readonly expiresAt?: number | undefined;
  /**
   * The binding of the access token: to nobody, or to a key of the client (RFC 9449). Names the
   * scheme of challenges. Default: `"bearer"`.
   */
  readonly binding?: "bearer" | "dpop" | undefined;
  /** The URL of the protected resource metadata. Challenges contain it. @source RFC 9728 §5.1 */
  readonly metadataUrl?: string | undefined;
}

/**
 * The facts in the envelope that decide how a request is served. {@link requestFacts} reads them
 * once, without validation.
 */
export interface RequestFacts {
  readonly era: Era;
  /** The protocol version that it names; `undefined` if it names none. */
  readonly version: string | undefined;
  /** The capabilities of its client, which only modern requests name. */
  readonly capabilities?: unknown;
}

/**
 * Reads the envelope of a request.
 *
 * @param version - The protocol version of a legacy request, if its transport knows it.
 */
export function requestFacts(params: object | undefined, version?: string): RequestFacts {
  const meta = metaOf(params);
  const named = meta?.[MetaKey.protocolVersion];
  return named === undefined
    ? { era: "legacy", version }
    : {
        era: "modern",
        version: typeof named === "string" ? named : undefined,
        capabilities: meta?.[MetaKey.clientCapabilities],
      };
}
