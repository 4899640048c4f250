import type { ProfileShape, UserinfoRequest } from "./upstream.ts";

/** The description of a provider. */
export interface Preset {
  /** The name for users. */
  readonly name: string;
  /** With OpenID Connect. `undefined` if each customer has an issuer of their own. */
  readonly issuer?: string;
  /** Whether the provider supports OpenID Connect. */
  readonly isOidc: boolean;
  /** The URL of the page of the provider. */
  readonly authorizationEndpoint?: string;
  /** The URL for token requests. */
  readonly tokenEndpoint?: string;
  /** The request for the properties of an account. */
  readonly userinfo?: UserinfoRequest;
  /** The scopes that identify an account. */
  readonly scopes: readonly string[];
  /** The separator of scopes. Default: a space. */
  readonly scopeSeparator?: string;
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The value of `prompt` for users who want another account. */
  readonly accountPrompt?: string;
  /** The method to send the client secret. */
  readonly clientAuth?: "basic" | "post";
  /** The places of the properties of an account. */
  readonly profile: ProfileShape;
  /** The additions of `groups: true`. */
  readonly groups?: {
    readonly scopes?: readonly string[];
    readonly path: string;
    readonly more?: Readonly<Record<string, UserinfoRequest>>;
  };
  /** The documentation. */
  readonly source: string;
  /** The date of the entry. No entry was tried with a real account. */
  readonly date: string;
}

/** The name of a preset. */
export type PresetName =
  | "atlassian"
  | "auth0"
  | "clerk"
  | "discord"
  | "entra"
  | "github"
  | "gitlab"
  | "google"
  | "linear"
  | "notion"
  | "okta"
  | "slack"
  | "supabase"
  | "workos";

const oidcScopes: readonly string[] = ["openid", "profile", "email"];
const oidcProfile: ProfileShape = {
  subject: "sub",
  name: "name",
  email: "email",
  emailVerified: "email_verified",
};
const date = "2026-11-29";

/**
 * The providers that the broker knows, as data: where they differ from each other and from the text
 * of OAuth.
 */
export const presets: Readonly<Record<PresetName, Preset>> = {
  google: {
    name: "Google",
    issuer: "https://accounts.google.com",
    isOidc: true,
    scopes: oidcScopes,
    profile: oidcProfile,
    accountPrompt: "select_account",
    // The domain of a Workspace account. Addresses in a domain can belong to other accounts.
    groups: { path: "hd" },
    source: "https://developers.google.com/identity/openid-connect/reference",
    date,
  },
  github: {
    name: "GitHub",
    issuer: "https://github.com/login/oauth",
    isOidc: false,
    authorizationEndpoint: "https://github.com/login/oauth/authorize",
    tokenEndpoint: "https://github.com/login/oauth/access_token",
    userinfo: { url: "https://api.github.com/user" },
    scopes: ["read:user", "user:email"],
    accountPrompt: "select_account",
    profile: {
      subject: "id",
      name: "login",
      email: "emails[].email",
      emailVerified: "emails[].verified",
      more: { emails: { url: "https://api.github.com/user/emails" } },
    },
    groups: {
      scopes: ["read:org"],
      path: "organizations[].login",
      more: { organizations: { url: "https://api.github.com/user/orgs?per_page=100" } },
    },
    source: "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps",
    date,
  },
  entra: {
    name: "Microsoft",
    isOidc: true,
    scopes: oidcScopes,
    accountPrompt: "select_account",
    // Addresses of Entra ID are not verified: an administrator of any tenant can write any address.
    profile: { subject: "oid", name: "name" },
    groups: { path: "groups" },
    source: "https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference",
    date,
  },
  gitlab: {
    name: "GitLab",
    issuer: "https://gitlab.com",
    isOidc: true,
    scopes: oidcScopes,
    profile: oidcProfile,
    groups: { path: "groups" },
    source: "https://docs.gitlab.com/integration/openid_connect_provider/",
    date,
  },
  slack: {
    name: "Slack",
    issuer: "https://slack.com",
    isOidc: true,
    scopes: oidcScopes,
    clientAuth: "post",
    // The identifier of a user is unique within a workspace.
    profile: { ...oidcProfile, subject: ["https://slack.com/team_id", "sub"] },
    groups: { path: "https://slack.com/team_id" },
    source: "https://docs.slack.dev/reference/methods/openid.connect.userInfo/",
    date,
  },
  auth0: {
    name: "Auth0",
    isOidc: true,
    scopes: oidcScopes,
    accountPrompt: "login",
    profile: oidcProfile,
    source: "https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery",
    date,
  },
  okta: {
    name: "Okta",
    isOidc: true,
    scopes: oidcScopes,
    accountPrompt: "login",
    profile: oidcProfile,
    groups: { scopes: ["groups"], path: "groups" },
    source: "https://developer.okta.com/docs/guides/customize-tokens-groups-claim/",
    date,
  },
  workos: {
    name: "WorkOS",
    isOidc: true,
    scopes: oidcScopes,
    profile: oidcProfile,
    source: "https://workos.com/docs/reference/workos-connect/metadata/openid-configuration",
    date,
  },
  clerk: {
    name: "Clerk",
    isOidc: true,
    scopes: oidcScopes,
    accountPrompt: "login",
    profile: oidcProfile,
    source: "https://clerk.com/docs/guides/configure/auth-strategies/oauth/single-sign-on",
    date,
  },
  supabase: {
    name: "Supabase",
    isOidc: true,
    scopes: oidcScopes,
    profile: oidcProfile,
    source: "https://supabase.com/docs/guides/auth/oauth-server/getting-started",
    date,
  },
  discord: {
    name: "Discord",
    issuer: "https://discord.com",
    isOidc: false,
    authorizationEndpoint: "https://discord.com/oauth2/authorize",
    tokenEndpoint: "https://discord.com/api/oauth2/token",
    userinfo: { url: "https://discord.com/api/users/@me" },
    scopes: ["identify", "email"],
    profile: { subject: "id", name: "username", email: "email", emailVerified: "verified" },
    groups: {
      scopes: ["guilds"],
      path: "guilds[].id",
      more: { guilds: { url: "https://discord.com/api/users/@me/guilds" } },
    },
    source: "https://discord.com/developers/docs/topics/oauth2",
    date,
  },
  linear: {
    name: "Linear",
    issuer: "https://linear.app",
    isOidc: false,
    authorizationEndpoint: "https://linear.app/oauth/authorize",
    tokenEndpoint: "https://api.linear.app/oauth/token",
    userinfo: {
      url: "https://api.linear.app/graphql",
      method: "POST",
      body: '{"query":"{viewer{id name email organization{urlKey}}}"}',
    },
    scopes: ["read"],
    scopeSeparator: ",",
    profile: { subject: "data.viewer.id", name: "data.viewer.name" },
    groups: { path: "data.viewer.organization.urlKey" },
    source: "https://linear.app/developers/oauth-2-0-authentication",
    date,
  },
  atlassian: {
    name: "Atlassian",
    issuer: "https://auth.atlassian.com",
    isOidc: false,
    authorizationEndpoint: "https://auth.atlassian.com/authorize",
    tokenEndpoint: "https://auth.atlassian.com/oauth/token",
    userinfo: { url: "https://api.atlassian.com/me" },
    scopes: ["read:me"],
    parameters: { audience: "api.atlassian.com", prompt: "consent" },
    profile: { subject: "account_id", name: "name" },
    source: "https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/",
    date,
  },
  notion: {
    name: "Notion",
    issuer: "https://api.notion.com",
    isOidc: false,
    authorizationEndpoint: "https://api.notion.com/v1/oauth/authorize",
    tokenEndpoint: "https://api.notion.com/v1/oauth/token",
    scopes: [],
    parameters: { owner: "user" },
    clientAuth: "basic",
    // The response to the token request contains the user.
    profile: { subject: "owner.user.id", name: "owner.user.name" },
    groups: { path: "workspace_id" },
    source: "https://developers.notion.com/reference/create-a-token",
    date,
  },
};
