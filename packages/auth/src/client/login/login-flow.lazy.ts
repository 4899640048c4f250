import { anySignal, unlessAborted } from "@tenon/base";

import { sha256 } from "../../shared/base64url.ts";
import { present } from "../../shared/present.ts";
import { authorizationUrl, type SafeAuthorizationUrl } from "../discover/url.ts";
import type { AuthorizationCodeOptions } from "../grants/authorization-code.ts";
import { redeemResponse } from "../grants/authorization-response.ts";
import type { BegunLogin, Grant, GrantContext } from "../grants/grant.ts";
import { pushRequest } from "../grants/pushed-request.ts";
import { ended, failure, opened } from "../setting.ts";
import { deleteRecord, randomText, recordKey, writeRecord } from "../tokens/records.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import { isRedirectRejected } from "../upkeep.lazy.ts";
import type { ExpectedRedirect, RedirectReceiver } from "./receiver.ts";

/** How many logins a logout ends at most. Older ones end by themselves. */
const maxFlows = 64;

/** Logs the user in through a receiver. */
export async function logInWithReceiver(
  context: GrantContext,
  options: AuthorizationCodeOptions,
  receiver: RedirectReceiver,
  preferred: Pick<ExpectedRedirect, "host">,
): ReturnType<Grant["obtain"]> {
  checkServer(context, options);
  const { setting, registrar, server } = context;
  const state = randomText();
  const own = new AbortController();
  const signal = anySignal([own.signal, context.signal]);
  signal.throwIfAborted();
  const timer = setting.clock.setTimeout(
    () =>
      own.abort(
        failure(setting, "CALLBACK_TIMEOUT", "The login was not completed in time. Start it again.", {
          issuer: server.issuer,
        }),
      ),
    setting.limits.flowTimeoutMs,
    true,
  );
  try {
    const [registered] = await registrar.redirectUris(server.issuer, "http://127.0.0.1");
    const opening = receiver.open(signal, { state, redirectUri: registered, ...preferred });
    const open = await opened(opening, signal);
    // A rejection before the URL is built is not lost: the promise is awaited below.
    open.response.catch(() => {});
    let parameters: URLSearchParams;
    try {
      const client = await registrar.identify(server, checkedRedirect(context, open.redirectUri), signal);
      const { url } = await start(context, options, client, open.redirectUri, state);
      await show(context, options, url, signal);
      parameters = await unlessAborted(open.response, signal);
      // The user was in time. The token request has a limit of its own.
      setting.clock.clearTimeout(timer);
    } finally {
      await ended(setting, [open[Symbol.asyncDispose]()]);
    }
    return await redeemResponse({ ...context, signal }, parameters, options.tokenRequestScope === true);
  } catch (error) {
    if (isRedirectRejected(error) && preferred.host === undefined) {
      return await logInWithReceiver(context, options, receiver, { host: "localhost" });
    }
    throw error;
  } finally {
    setting.clock.clearTimeout(timer);
    const key = await recordKey("flow", [state]);
    // The response of a login that has failed cannot arrive any more.
    if (setting.flows.delete(key)) {
      await deleteRecord(setting, key).catch(() => {});
    }
  }
}

/** Starts a login whose response the host receives. */
export async function beginLogin(
  context: GrantContext,
  options: AuthorizationCodeOptions,
  redirectUri: string,
): Promise<BegunLogin> {
  checkServer(context, options);
  const client = await context.registrar.identify(context.server, redirectUri, context.signal);
  return start(context, options, client, redirectUri, randomText());
}

/** @source R-749 */
function checkServer({ setting, server }: GrantContext, { assumePkce = [] }: AuthorizationCodeOptions): void {
  const { issuer, code_challenge_methods_supported: methods, authorization_endpoint: endpoint } = server;
  if (endpoint === undefined || server.token_endpoint === undefined) {
    throw failure(
      setting,
      "METADATA_INVALID",
      "The metadata of the authorization server must have authorization_endpoint and token_endpoint.",
      { issuer },
    );
  }
  // Checked before a browser is opened.
  setting.rules.parse(endpoint, "authorization endpoint");
  setting.rules.parse(server.token_endpoint, "token endpoint");
  // 2025-03-26 requires PKCE of every server, and has no way to declare it without metadata.
  const isAssumed = methods === undefined && (server.isLegacy || assumePkce.includes(issuer));
  if (!isAssumed && methods?.includes("S256") !== true) {
    throw failure(
      setting,
      "PKCE_UNSUPPORTED",
      "The authorization server must declare code_challenge_methods_supported with S256. If it supports S256 without declaring it, name its issuer in assumePkce.",
      { issuer },
    );
  }
}

/** @source R-752 */
function checkedRedirect({ setting }: GrantContext, redirectUri: string): string {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const isAllowed =
    url !== undefined &&
    url.hash === "" &&
    (url.protocol === "https:" ||
      (url.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)));
  if (!isAllowed) {
    throw failure(
      setting,
      "INSECURE_URL",
      "The redirect URI must be an https URL, or http on loopback, without a fragment.",
    );
  }
  return redirectUri;
}

/** Records the flow, and only then builds the URL. @source R-753 */
async function start(
  context: GrantContext,
  options: AuthorizationCodeOptions,
  client: ClientIdentity,
  redirectUri: string,
  state: string,
): Promise<BegunLogin> {
  const { setting, server, resource, scopes, keys } = context;
  const verifier = randomText();
  const proofKey = await keys.create();
  const { authorization_endpoint: endpoint = "", token_endpoint: tokenEndpoint = "" } = server;
  const now = setting.date();
  const key = await recordKey("flow", [state]);
  const [oldest] = setting.flows;
  if (setting.flows.size >= maxFlows && oldest !== undefined) {
    setting.flows.delete(oldest);
  }
  setting.flows.add(key);
  await writeRecord(
    setting,
    key,
    {
      server: setting.id,
      account: setting.account,
      issuer: server.issuer,
      tokenEndpoint,
      revocationEndpoint: server.revocation_endpoint,
      declaresIss: server.authorization_response_iss_parameter_supported === true,
      methods: server.token_endpoint_auth_methods_supported,
      clientId: client.id,
      registration: client.registration,
      redirectUri: checkedRedirect(context, redirectUri),
      resource: resource.resource,
      scopes,
      verifier,
      proofKey: proofKey && (await keys.store(proofKey)),
      thumbprint: proofKey?.thumbprint,
      createdAt: now,
    },
    { expiresAt: now + setting.limits.flowTimeoutMs },
  );
  const parameters = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await sha256(verifier),
    code_challenge_method: "S256",
    scope: scopes.join(" "),
    resource: resource.resource,
    prompt: context.prompt,
    acr_values: context.acrValues,
    max_age: context.maxAge,
    dpop_jkt: proofKey?.thumbprint,
  };
  const pushed = options.par === false ? undefined : await pushRequest(context, client, parameters);
  const url = setting.rules.parse(endpoint, "authorization endpoint");
  for (const [name, value] of Object.entries(present(pushed ?? parameters))) {
    url.searchParams.set(name, value);
  }
  return { url: authorizationUrl(url, setting.server), state };
}

async function show(
  { setting }: GrantContext,
  options: AuthorizationCodeOptions,
  url: SafeAuthorizationUrl,
  signal: AbortSignal,
): Promise<void> {
  let cause: unknown;
  try {
    if (options.open !== undefined) {
      await unlessAborted(Promise.resolve(options.open(url, signal)), signal);
      return;
    }
  } catch (error) {
    signal.throwIfAborted();
    // A machine without a display cannot open a browser. The user can still visit the page.
    cause = error;
  }
  if (!setting.isHeard) {
    const message =
      "The page of the login cannot be shown: open is missing or failed, and there is no onEvent. Correct open, or show the URL of the event visit.";
    throw failure(setting, "NEEDS_USER", message, { cause });
  }
  setting.emit({ type: "visit", url });
}

export { redeemResponse };
