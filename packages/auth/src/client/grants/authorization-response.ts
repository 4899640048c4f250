import { failure, quoted, warn, type Setting } from "../setting.ts";
import { deleteRecord, readRecord, recordKey, type FlowRecord } from "../tokens/records.ts";
import { readError } from "../tokens/token-response.ts";
import { refusal, requestTokens, unnoted } from "../upkeep.lazy.ts";
import type { GrantTools, IssuedGrant } from "./grant.ts";

/** Maximum length of a value in a response. */
const maxValue = 8192;
const used = ["state", "iss", "error", "error_description", "code"];

/**
 * Checks an authorization response and redeems its code.
 *
 * @throws `AuthError`: `RESPONSE_INVALID`, `ISSUER_MISMATCH`, `USER_DENIED`, or the failure of the
 *   token request.
 * @source R-751; R-754; R-755
 */
export async function redeemResponse(
  { setting, registrar, keys, signal }: GrantTools,
  parameters: URLSearchParams,
  repeatsScope: boolean,
): Promise<IssuedGrant> {
  const flow = await takeFlow(setting, parameters);
  const { issuer } = flow;
  checkIssuer(setting, flow, parameters.get("iss") || null);
  const oauth = readError({
    error: parameters.get("error"),
    error_description: parameters.get("error_description"),
  });
  if (oauth !== undefined) {
    throw refusal(setting, issuer, oauth);
  }
  const code = parameters.get("code");
  if (code === null || !/^[\x20-\x7e]+$/.test(code)) {
    throw invalid(setting, "must have a code", issuer);
  }
  const client = await registrar.recall(issuer, flow.clientId, flow.registration, signal);
  const proofKey = await keys.restore(flow.thumbprint, flow.proofKey);
  if (client === undefined || (flow.thumbprint !== undefined && proofKey === undefined)) {
    throw failure(
      setting,
      "CLIENT_REJECTED",
      "The credentials or the key with which the login was started are lost. Start it again.",
      {
        issuer,
      },
    );
  }
  const { redirectUri, resource, scopes, verifier } = flow;
  const outcome = await requestTokens(setting, {
    ...flow,
    client,
    grantType: "authorization_code",
    parameters: {
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      resource,
      scope: repeatsScope ? scopes.join(" ") : undefined,
    },
    asked: scopes,
    proofKey,
    allowBearer: keys.allowBearer,
    signal,
  });
  if (outcome.tokens === undefined) {
    if (outcome.oauth?.error === "invalid_client") {
      await registrar.reject(client).catch(() => warn(setting, unnoted));
    }
    throw outcome.error;
  }
  return { ...flow, tokens: outcome.tokens, client, asked: scopes, proofKey };
}

/**
 * Finds the flow of a response and deletes it: a flow has one response. A response without a flow
 * changes nothing.
 */
async function takeFlow(setting: Setting, parameters: URLSearchParams): Promise<FlowRecord> {
  for (const name of used) {
    const values = parameters.getAll(name);
    if (values.length > 1 || (values[0]?.length ?? 0) > maxValue) {
      throw invalid(setting, `must have ${name} at most once, and at most ${maxValue} characters in it`);
    }
  }
  // Other modes of responses may carry their own signatures or tokens, which were not requested.
  if (["response", "access_token", "id_token", "token"].some((name) => parameters.has(name))) {
    throw invalid(setting, "must be in the mode query of the response type code");
  }
  const state = parameters.get("state") ?? "";
  const key = await recordKey("flow", [state]);
  const { value, generation } = await readRecord(setting, "flow", key);
  const isOwn =
    value !== undefined &&
    generation !== "absent" &&
    value.server === setting.id &&
    value.account === setting.account;
  const isTaken = isOwn && (await deleteRecord(setting, key, { ifGeneration: generation }));
  setting.flows.delete(key);
  if (!isTaken || value === undefined) {
    throw invalid(setting, "has a state of no login for this server and account. It is ignored");
  }
  if (setting.date() - value.createdAt > setting.limits.flowTimeoutMs) {
    throw failure(setting, "CALLBACK_TIMEOUT", "The login was not completed in time. Start it again.", {
      issuer: value.issuer,
    });
  }
  return value;
}

function checkIssuer(setting: Setting, { issuer, declaresIss }: FlowRecord, iss: string | null): void {
  if (iss === null ? declaresIss : iss !== issuer) {
    throw failure(
      setting,
      "ISSUER_MISMATCH",
      `The authorization response must come from ${quoted(issuer)}, but names ${iss === null ? "no issuer although the server declares to name it" : quoted(iss)}. Its code was not used.`,
      { issuer },
    );
  }
}

function invalid(setting: Setting, what: string, issuer?: string): Error {
  return failure(setting, "RESPONSE_INVALID", `The authorization response ${what}.`, { issuer });
}
