import { checkOptionNames, kindOf, requireOptions } from "@tenon/base";

import type { SigningKey } from "../../shared/signing-key.ts";

/** A request that a client authenticates. */
export interface ClientAuthRequest {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly clientId: string;
  /** `token_endpoint_auth_methods_supported` of the authorization server. */
  readonly supported: readonly string[] | undefined;
  /** Milliseconds since 1970 by the clock of the authorization server, as far as it is known. */
  readonly now: number;
  /** Parameters may be added. */
  readonly body: URLSearchParams;
  /** Headers may be added. */
  readonly headers: Headers;
  /**
   * Whether this is the second attempt, because the authorization server did not recognize the
   * client by its `Authorization` header. Default: `false`.
   */
  readonly isUnrecognized?: boolean | undefined;
}

/** Authenticates a client to its authorization server. */
export interface ClientAuth {
  /** The methods, as `token_endpoint_auth_method` names them, in the order of preference. */
  readonly methods: readonly string[];
  /** Adds the credentials to a request. Called again for every attempt. */
  authenticate(request: ClientAuthRequest): void | Promise<void>;
}

/** A public client: only its identifier is sent. */
export const publicClient: ClientAuth = {
  methods: ["none"],
  authenticate: ({ body, clientId }) => body.set("client_id", clientId),
};

/** Options of {@link clientSecret}. */
export interface ClientSecretOptions {
  /**
   * The method. Default: `client_secret_basic`, unless the authorization server supports only
   * `client_secret_post`, or does not recognize the client by its `Authorization` header.
   */
  readonly method?: "client_secret_basic" | "client_secret_post" | undefined;
  /**
   * The encoding of identifier and secret in the `Authorization` header. `"raw"` is for servers
   * that do not decode them. Default: `"form"`.
   */
  readonly basicEncoding?: "form" | "raw" | undefined;
}

/**
 * Authenticates a client by its secret. Some authorization servers read the client's identifier
 * only from the form, and others reject it there if there is an `Authorization` header. If the
 * header is not recognized, the request is therefore sent once more with the identifier in the
 * form.
 *
 * @throws `TypeError` for options that do not exist, and for a secret that is empty or not a
 *   string, such as the value of an environment variable that is not set.
 * @source RFC 6749 §2.3.1
 */
export function clientSecret(secret: string, options: ClientSecretOptions = {}): ClientAuth {
  checkOptionNames("clientSecret", options, "method basicEncoding");
  if (typeof secret !== "string" || secret === "") {
    throw new TypeError(
      `clientSecret needs the secret, a string; got ${secret === "" ? "an empty one" : kindOf(secret)}.`,
    );
  }
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    methods: options.method === undefined ? methods : [options.method],
    authenticate({ clientId, supported, body, headers, isUnrecognized = false }) {
      const isPostAllowed = supported?.includes("client_secret_post") ?? true;
      const usual = methods.find((name) => supported?.includes(name)) ?? "client_secret_basic";
      const method = options.method ?? (isUnrecognized && isPostAllowed ? "client_secret_post" : usual);
      if (method === "client_secret_post") {
        body.set("client_id", clientId);
        body.set("client_secret", secret);
        return;
      }
      if (isUnrecognized) {
        body.set("client_id", clientId);
      }
      const encode = options.basicEncoding === "raw" ? (text: string): string => text : formEncoded;
      const bytes = new TextEncoder().encode(`${encode(clientId)}:${encode(secret)}`);
      headers.set("authorization", `Basic ${btoa(String.fromCharCode(...bytes))}`);
    },
  };
}

/** Encodes a value as forms do, which leaves `*-._` unchanged. */
function formEncoded(text: string): string {
  return new URLSearchParams({ a: text }).toString().slice(2);
}

/** Options of {@link privateKeyJwt}. */
export interface PrivateKeyJwtOptions {
  /** The private key: a `CryptoKey` for signatures, or a PKCS #8 key in PEM form. */
  readonly key: SigningKey | string;
  /** The algorithm of a key in PEM form. Default: `"ES256"`. */
  readonly alg?: "ES256" | "ES384" | "RS256" | "PS256" | "EdDSA" | undefined;
  /** The identifier of the key, if the authorization server knows several keys of this client. */
  readonly kid?: string | undefined;
  /** The audience of assertions. Default: `"issuer"`, as RFC 7523bis requires. */
  readonly assertionAudience?: "issuer" | "tokenEndpoint" | undefined;
}

/**
 * Authenticates a client by assertions that it signs: the secret never leaves it.
 *
 * @throws `TypeError` for options that do not exist.
 * @source RFC 7523; R-762
 */
export function privateKeyJwt(options: PrivateKeyJwtOptions): ClientAuth {
  checkOptionNames("privateKeyJwt", options, "key alg kid assertionAudience");
  requireOptions("privateKeyJwt", options, { key: typeof options.key === "object" ? "object" : "string" });
  let imported: Promise<SigningKey> | undefined;
  return {
    methods: ["private_key_jwt"],
    async authenticate(request) {
      const { importKey, signAssertion } = await import("../grants/assertion.lazy.ts");
      imported ??= importKey(options);
      await signAssertion(await imported, options, request);
    },
  };
}
