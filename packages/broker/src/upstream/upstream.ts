import { checkOptionNames } from "@tenon/base";

/**
 * An identity provider: data that `oidc`, `oauth2` or a preset such as `github` returns. A secret
 * is in it, so do not log it.
 */
export interface Upstream {
  /** In the URL to register at the provider, and in the subjects of its users. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The identifier of the broker at the provider. */
  readonly clientId: string;
  /** The secret of the broker at the provider. */
  readonly clientSecret: string | undefined;
  /** With `isOidc` its metadata is looked up, and ID tokens are checked. */
  readonly issuer: string;
  /** Whether the provider supports OpenID Connect. */
  readonly isOidc: boolean;
  /** Needed without OIDC. */
  readonly authorizationEndpoint?: string | undefined;
  /** The URL for token requests. Needed without OIDC. */
  readonly tokenEndpoint?: string | undefined;
  /** The request for the properties of an account. By default as in the metadata. */
  readonly userinfo?: UserinfoRequest | undefined;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** The separator of scopes. Default: a space. */
  readonly scopeSeparator?: string | undefined;
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /**
   * The value of `prompt` with which the provider lets a user choose another account. Without one,
   * the user has to log out there first.
   */
  readonly accountPrompt?: string | undefined;
  /** The method to send the client secret. By default as in the metadata, otherwise in the body. */
  readonly clientAuth?: "basic" | "post" | undefined;
  /** The places of the properties of an account. */
  readonly profile: ProfileShape;
}

/** The request for the properties of an account. */
export interface UserinfoRequest {
  /** The URL of the request. */
  readonly url: string;
  /** The method. Default: `"GET"`. */
  readonly method?: "GET" | "POST" | undefined;
  /** Further headers. By default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A body of JSON. */
  readonly body?: string | undefined;
}

/**
 * The places of the properties of an account: paths such as `data.viewer.id` in the response to the
 * userinfo request or, without such a request, in the token response.
 */
export interface ProfileShape {
  /**
   * The permanent identifier of an account, never an e-mail address. Several paths are combined.
   */
  readonly subject: string | readonly string[];
  /** The name. By default it has none. */
  readonly name?: string | undefined;
  /** The address. By default accounts have no address. */
  readonly email?: string | undefined;
  /** A path to `true`, or `true` if all addresses of the provider are verified. */
  readonly emailVerified?: string | true | undefined;
  /** Strings, or objects with this property after `[]`: `organizations[].login`. */
  readonly groups?: string | undefined;
  /** Further requests, whose responses become properties of the profile. */
  readonly more?: Readonly<Record<string, UserinfoRequest>> | undefined;
}

/** The credentials that a provider issued for your broker. */
export interface UpstreamCredentials {
  /** The identifier of the broker at the provider. */
  readonly clientId: string;
  /** The secret of the broker at the provider. By default it is a public client. */
  readonly clientSecret?: string | undefined;
  /** The requested scopes. Default: the scopes that identify an account. */
  readonly scopes?: readonly string[] | undefined;
  /** Default: the name of the provider. Two upstreams of one broker need different ones. */
  readonly id?: string | undefined;
}

/** Options of {@link oidc}. */
export interface OidcOptions extends UpstreamCredentials {
  /** The issuer of the provider. */
  readonly issuer: string;
  /** For people. Default: the host of the issuer. */
  readonly name?: string | undefined;
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** The places of the properties of an account. Default: the claims of OpenID Connect. */
  readonly profile?: Partial<ProfileShape> | undefined;
}

/** Options of {@link oauth2}. */
export interface OAuth2Options extends UpstreamCredentials {
  /** The identifier in the redirect URI and in subjects. */
  readonly id: string;
  /** The name for users. */
  readonly name: string;
  /** The URL of the page of the provider. */
  readonly authorizationEndpoint: string;
  /** The URL for token requests. */
  readonly tokenEndpoint: string;
  /** Without it, `profile` names properties of the token response. */
  readonly userinfo?: UserinfoRequest | undefined;
  /** The places of the properties of an account. */
  readonly profile: ProfileShape;
  /** Further parameters of the authorization request. By default none. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** The method to send the client secret. Default: `"post"`. */
  readonly clientAuth?: "basic" | "post" | undefined;
  /** The separator of scopes. Default: a space. */
  readonly scopeSeparator?: string | undefined;
  /** The value of `iss` in responses. Default: the origin of the authorization endpoint. */
  readonly issuer?: string | undefined;
}

/** The properties of an account by OpenID Connect. */
const oidcProfile: ProfileShape = {
  subject: "sub",
  name: "name",
  email: "email",
  emailVerified: "email_verified",
  groups: "groups",
};

/**
 * Any provider that supports OpenID Connect, by its metadata.
 *
 * @throws `TypeError` for unknown options and for wrong values.
 */
export function oidc(options: OidcOptions): Upstream {
  checkOptionNames("oidc", options, "issuer name clientId clientSecret scopes id parameters profile");
  const { issuer, name = hostOf(issuer), id = "oidc", clientId, clientSecret, parameters } = options;
  const { scopes = ["openid", "profile", "email"] } = options;
  return checkedUpstream({
    id,
    name,
    clientId,
    clientSecret,
    issuer,
    isOidc: true,
    scopes: scopes.includes("openid") ? scopes : ["openid", ...scopes],
    parameters,
    accountPrompt: "select_account",
    profile: { ...oidcProfile, ...options.profile },
  });
}

/**
 * Any provider that supports OAuth 2 and tells who the user is.
 *
 * @throws `TypeError` for unknown options and for wrong values.
 */
export function oauth2(options: OAuth2Options): Upstream {
  checkOptionNames("oauth2", options, [
    "id name clientId clientSecret scopes authorizationEndpoint tokenEndpoint userinfo profile",
    "parameters clientAuth scopeSeparator issuer",
  ]);
  const { scopes = [], authorizationEndpoint, issuer } = options;
  return checkedUpstream({
    id: options.id,
    name: options.name,
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    issuer: issuer ?? originOf(authorizationEndpoint),
    isOidc: false,
    authorizationEndpoint,
    tokenEndpoint: options.tokenEndpoint,
    userinfo: options.userinfo,
    scopes,
    scopeSeparator: options.scopeSeparator,
    parameters: options.parameters,
    clientAuth: options.clientAuth,
    profile: options.profile,
  });
}

/** Checks what a provider is made of. @throws `TypeError` */
export function checkedUpstream(upstream: Upstream): Upstream {
  const { id, name, clientId, issuer, profile, authorizationEndpoint, tokenEndpoint, userinfo } = upstream;
  if (!/^[a-z\d][a-z\d-]{0,39}$/.test(id)) {
    throw new TypeError(
      `id of an upstream is 1 to 40 characters of a-z, 0-9 and "-"; got ${JSON.stringify(id)}.`,
    );
  }
  for (const [what, value] of Object.entries({
    name,
    clientId,
    "profile.subject": String(profile.subject),
  })) {
    if (typeof value !== "string" || value === "") {
      throw new TypeError(`${what} of the upstream ${id} must be a string that is not empty.`);
    }
  }
  for (const url of [issuer, authorizationEndpoint, tokenEndpoint, userinfo?.url]) {
    if (url !== undefined && !isSecure(url)) {
      throw new TypeError(`The URLs of the upstream ${id} must be https, or http on loopback; got ${url}.`);
    }
  }
  return upstream;
}

/** Whether a URL is https, or http on this computer. */
export function isSecure(url: string): boolean {
  return URL.canParse(url) && (new URL(url).protocol === "https:" || isLoopback(url));
}

/** Whether a URL is http on this computer. */
export function isLoopback(url: string): boolean {
  return /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?#]|$)/.test(url);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
