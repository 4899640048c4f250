import { checkOptionNames } from "@tenon/base";

import { presets, type Preset, type PresetName } from "./presets.ts";
import { checkedUpstream, type Upstream, type UpstreamCredentials } from "./upstream.ts";

/** Options of a provider that all its customers share. */
export interface ProviderOptions extends UpstreamCredentials {
  /**
   * Whether to ask for the groups of an account: organizations, workspaces or domains, see
   * `docs/login.md`. Default: `false`.
   */
  readonly groups?: boolean | undefined;
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** Options of a provider with an issuer for each customer, or each installation. */
export interface TenantOptions extends ProviderOptions {
  /** The issuer, exactly as the metadata of the provider has it. */
  readonly issuer: string;
}

/** Options of {@link entra}. */
export interface EntraOptions extends ProviderOptions {
  /** The identifier of the directory: a UUID. */
  readonly tenant: string;
}

function upstreamOf(name: PresetName, options: ProviderOptions, issuer?: string): Upstream {
  const preset: Preset = presets[name];
  const { clientId, clientSecret, id = name, groups = false } = options;
  const added = groups ? preset.groups : undefined;
  if (groups && added === undefined) {
    throw new TypeError(`${name} has no groups: leave the option groups out, and use allow of createBroker.`);
  }
  const scopes = [...(options.scopes ?? preset.scopes), ...(added?.scopes ?? [])];
  return checkedUpstream({
    id,
    name: preset.name,
    clientId,
    clientSecret,
    issuer: issuer ?? preset.issuer ?? "",
    isOidc: preset.isOidc,
    authorizationEndpoint: preset.authorizationEndpoint,
    tokenEndpoint: preset.tokenEndpoint,
    userinfo: preset.userinfo,
    scopes: [...new Set(scopes)],
    scopeSeparator: preset.scopeSeparator,
    parameters: { ...preset.parameters, ...options.parameters },
    accountPrompt: preset.accountPrompt,
    clientAuth: preset.clientAuth,
    profile: {
      ...preset.profile,
      ...(added === undefined ? {} : { groups: added.path }),
      more: { ...preset.profile.more, ...added?.more },
    },
  });
}

const names = "clientId clientSecret scopes id groups parameters";

function shared(name: PresetName): (options: ProviderOptions) => Upstream {
  return (options) => {
    checkOptionNames<ProviderOptions, typeof names>(name, options, names);
    return upstreamOf(name, options);
  };
}

function tenant(name: PresetName): (options: TenantOptions) => Upstream {
  return (options) => {
    checkOptionNames(name, options, "issuer clientId clientSecret scopes id groups parameters");
    return upstreamOf(name, options, options.issuer);
  };
}

/** Google accounts. `groups` is the domain of a Workspace account. */
export const google: (options: ProviderOptions) => Upstream = shared("google");
/** GitHub accounts. `groups` are organizations. */
export const github: (options: ProviderOptions) => Upstream = shared("github");
/** Slack accounts. `groups` is the identifier of the workspace. */
export const slack: (options: ProviderOptions) => Upstream = shared("slack");
/** Discord accounts. `groups` are identifiers of guilds. */
export const discord: (options: ProviderOptions) => Upstream = shared("discord");
/** Linear accounts. `groups` is the workspace. */
export const linear: (options: ProviderOptions) => Upstream = shared("linear");
/** Atlassian accounts. */
export const atlassian: (options: ProviderOptions) => Upstream = shared("atlassian");
/** Notion accounts. `groups` is the identifier of the workspace. */
export const notion: (options: ProviderOptions) => Upstream = shared("notion");
/** Auth0: `issuer` is `https://<domain>/`, with the slash. */
export const auth0: (options: TenantOptions) => Upstream = tenant("auth0");
/** Okta: `issuer` is `https://<domain>`, or an authorization server of it. */
export const okta: (options: TenantOptions) => Upstream = tenant("okta");
/** WorkOS: `issuer` is the domain of AuthKit. */
export const workos: (options: TenantOptions) => Upstream = tenant("workos");
/** Clerk: `issuer` is the URL of the Frontend API. */
export const clerk: (options: TenantOptions) => Upstream = tenant("clerk");
/** Supabase: `issuer` is `https://<project>.supabase.co/auth/v1`. */
export const supabase: (options: TenantOptions) => Upstream = tenant("supabase");

/**
 * GitLab accounts.
 *
 * @param options - `issuer` of an installation of your own. Default: `https://gitlab.com`.
 */
export function gitlab(options: ProviderOptions & Partial<TenantOptions>): Upstream {
  checkOptionNames("gitlab", options, "issuer clientId clientSecret scopes id groups parameters");
  return upstreamOf("gitlab", options, options.issuer);
}

/**
 * Entra ID, for the accounts of one directory.
 *
 * @throws `TypeError` for a `tenant` such as `common`: then every directory of the world could log
 * in, under unchecked issuers.
 */
export function entra(options: EntraOptions): Upstream {
  checkOptionNames("entra", options, "tenant clientId clientSecret scopes id groups parameters");
  const { tenant: directory } = options;
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(directory)) {
    throw new TypeError(
      `tenant of entra is the identifier of the directory, a UUID; got ${JSON.stringify(directory)}.`,
    );
  }
  return upstreamOf("entra", options, `https://login.microsoftonline.com/${directory.toLowerCase()}/v2.0`);
}
