import { inTime, unlessAborted } from "@tenon/base";

import type { AuthError } from "../../shared/error.ts";
import type { GrantTools } from "../grants/grant.ts";
import type { LogoutOptions } from "../options.ts";
import { maxEndMs, warn, type Setting } from "../setting.ts";
import { postAsClient } from "./client-post.ts";
import { deleteRecord, maxWrites, readRecord, type TokenRecord } from "./records.ts";
import type { LeftTokens, TokenHolder } from "./tokens.ts";

/**
 * Deletes the tokens of a provider, revokes them, and ends the logins that wait for a response. If
 * the store fails, the tokens are revoked nevertheless, and are not used here again.
 *
 * @throws `AuthError` `AUTH_STORE_FAILED`.
 */
export async function logOut(
  tools: GrantTools,
  holder: TokenHolder,
  { key, record: current }: LeftTokens,
  { revoke = true, forget = false }: LogoutOptions = {},
): Promise<void> {
  const { setting, registrar, signal } = tools;
  let failed: AuthError | undefined;
  const attempt = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: AuthError) => {
      failed = error;
      return undefined;
    });
  // Deleted before they are revoked: a request that is sent in the meantime would refresh them.
  const deleted = await attempt(deleteTokens(setting, key));
  const records = [current];
  if (deleted?.id !== current?.id) {
    // Another process has written them since. A request may have read them.
    await holder.leave();
    records.push(deleted);
  }
  // Before the tokens are revoked, which takes time: another process may get the response.
  for (const flow of setting.flows) {
    await attempt(deleteRecord(setting, flow));
  }
  setting.flows.clear();
  for (const record of records) {
    if (record !== undefined && revoke) {
      await revokeTokens(tools, record, signal);
    }
    if (record?.registration !== undefined && forget) {
      await attempt(registrar.forget(record.registration, signal));
    }
  }
  if (failed !== undefined) {
    throw failed;
  }
}

/** Deletes whatever tokens the store has by now. @returns These tokens. */
async function deleteTokens(setting: Setting, at: string): Promise<TokenRecord | undefined> {
  for (let tries = 1; ; tries++) {
    const { value, generation } = await readRecord(setting, "tokens", at);
    if (generation === "absent") {
      return undefined;
    }
    // Another process may write between the two: its tokens have to be revoked as well.
    const isLast = tries === maxWrites;
    const options = isLast ? {} : { ifGeneration: generation };
    if ((await deleteRecord(setting, at, options)) || isLast) {
      return value;
    }
  }
}

/**
 * Revokes the tokens of a record as far as possible (RFC 7009): the refresh token first, because it
 * can renew the other. Failures are reported as warnings. @param signal - Cancels this.
 */
export async function revokeTokens(
  { setting, registrar }: GrantTools,
  record: TokenRecord,
  signal?: AbortSignal,
): Promise<void> {
  const { issuer, clientId, registration, revocationEndpoint, refreshToken, accessToken } = record;
  if (revocationEndpoint === undefined) {
    return;
  }
  try {
    const url = setting.rules.parse(revocationEndpoint, "revocation endpoint");
    // This may ask the user for the client.
    const late = new AbortController();
    const recalled = unlessAborted(registrar.recall(issuer, clientId, registration, late.signal), signal);
    const client = await inTime(recalled, maxEndMs, {
      expired: () => late.abort() as undefined,
      clock: setting.clock,
    });
    if (client === undefined) {
      throw new Error("The client is unknown.");
    }
    const tokens = { refresh_token: refreshToken, access_token: accessToken };
    for (const [token_type_hint, token] of Object.entries(tokens)) {
      // A token that was rejected is not kept: it may be empty.
      if (token !== undefined && token !== "") {
        const answer = await postAsClient(setting, {
          ...record,
          url,
          client,
          parameters: { token, token_type_hint },
          proofKey: undefined,
          timeoutMs: maxEndMs,
          signal,
        });
        if (answer.status !== 200) {
          warn(setting, `The ${token_type_hint} could not be revoked.`);
        }
      }
    }
  } catch {
    warn(setting, "The tokens could not be revoked.");
  }
}
