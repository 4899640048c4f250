import { sleep, unlessAborted } from "@tenon/base";

import { authorizationUrl, type SafeAuthorizationUrl } from "../discover/url.ts";
import { temporary, type Json } from "../requests.ts";
import { failure } from "../setting.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import { deviceGrant, prepareLogin } from "../upkeep.lazy.ts";
import type { DeviceCodeOptions, DevicePrompt } from "./device-code.ts";
import type { GrantContext, IssuedGrant } from "./grant.ts";
import { askForTokens, issuedBy, tokenEndpointOf } from "./issue.ts";

const defaultInterval = 5;
/** Number of seconds that `slow_down` adds to the interval. */
const slowDown = 5;
const maxLife = 1800;

/** Shows a code to the user, and asks for tokens until the user has entered it elsewhere. */
export async function logInOnDevice(context: GrantContext, options: DeviceCodeOptions): Promise<IssuedGrant> {
  const { setting, registrar, server, keys, signal } = context;
  if (server.device_authorization_endpoint === undefined) {
    throw failure(
      setting,
      "METADATA_INVALID",
      "The authorization server does not support logins on another device.",
      {
        issuer: server.issuer,
      },
    );
  }
  tokenEndpointOf(setting, server);
  const client = await registrar.identify(server, undefined, signal);
  const { deviceCode, prompt, interval } = await begin(context, client, server.device_authorization_endpoint);
  await unlessAborted(Promise.resolve(options.show(prompt)), signal);
  const request = {
    client,
    grantType: deviceGrant,
    parameters: { device_code: deviceCode },
    proofKey: await keys.create(),
  };
  for (let seconds = interval; ;) {
    const leftMs = Math.max(0, prompt.expiresAt - setting.date());
    await sleep(Math.min(seconds * 1000, leftMs), { signal, clock: setting.clock, keepsAlive: true });
    const outcome = setting.date() < prompt.expiresAt ? await askForTokens(context, request) : undefined;
    const error = outcome?.tokens === undefined ? outcome?.oauth?.error : undefined;
    if (outcome === undefined || error === "expired_token") {
      throw failure(setting, "CALLBACK_TIMEOUT", "The login was not completed in time. Start it again.", {
        issuer: server.issuer,
      });
    }
    const isUnanswered = outcome.tokens === undefined && outcome.reason !== "refused";
    if (error === "slow_down" || isUnanswered) {
      seconds += slowDown;
    } else if (error !== "authorization_pending") {
      return issuedBy(context, request, outcome);
    }
  }
}

interface Begun {
  readonly deviceCode: string;
  readonly prompt: DevicePrompt;
  readonly interval: number;
}

async function begin(context: GrantContext, client: ClientIdentity, endpoint: string): Promise<Begun> {
  const { setting, server, resource, scopes } = context;
  const url = setting.rules.parse(endpoint, "device authorization endpoint");
  const answer = await prepareLogin(context, client, url, {
    scope: scopes.join(" "),
    resource: resource.resource,
  });
  if (answer.status !== 200 || answer.json === undefined) {
    throw temporary(setting, "device authorization response", url, answer, server.issuer);
  }
  return readBegun(context, answer.json);
}

function readBegun({ setting, server }: GrantContext, json: Json): Begun {
  const {
    device_code: code,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: complete,
  } = json;
  const life = secondsOf(json["expires_in"]);
  const interval = secondsOf(json["interval"] ?? defaultInterval);
  const isValid =
    typeof code === "string" &&
    typeof userCode === "string" &&
    /^[\x20-\x7e]{1,64}$/.test(userCode) &&
    typeof uri === "string" &&
    life !== undefined &&
    interval !== undefined;
  if (!isValid) {
    throw failure(
      setting,
      "METADATA_INVALID",
      "The device authorization response must have a device code, a short user code, a verification URI and a lifetime.",
      {
        issuer: server.issuer,
      },
    );
  }
  const checked = (value: string): SafeAuthorizationUrl =>
    authorizationUrl(setting.rules.parse(value, "verification URI"), setting.server);
  return {
    deviceCode: code,
    prompt: {
      userCode,
      url: checked(uri),
      completeUrl: typeof complete === "string" ? checked(complete) : undefined,
      expiresAt: setting.date() + Math.min(life, maxLife) * 1000,
    },
    interval: Math.max(1, interval),
  };
}

/** A number of seconds. Some servers write it as a string. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" ? seconds : undefined;
}
