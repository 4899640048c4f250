import { postAsClient } from "./client-post.ts";
import type { GrantTools } from "./grant.ts";
import type { TokenRecord } from "./records.ts";
import { warn } from "./setting.ts";

const revokeMs = 5000;

/**
 * Revokes the tokens of a record as far as possible (RFC 7009): the refresh token first, because it
 * can renew the other. Failures are reported as warnings.
 */
export async function revokeTokens(
  { setting, registrar, signal }: GrantTools,
  record: TokenRecord,
): Promise<void> {
  const { issuer, clientId, registration, revocationEndpoint, refreshToken, accessToken } = record;
  if (revocationEndpoint === undefined) {
    return;
  }
  try {
    const url = setting.rules.parse(revocationEndpoint, "revocation endpoint");
    const client = await registrar.recall(issuer, clientId, registration);
    const tokens = { refresh_token: refreshToken, access_token: accessToken };
    for (const [token_type_hint, token] of Object.entries(tokens)) {
      if (token !== undefined && client !== undefined) {
        const answer = await postAsClient(setting, {
          url,
          issuer,
          tokenEndpoint: record.tokenEndpoint,
          client,
          methods: record.methods,
          parameters: { token, token_type_hint },
          timeoutMs: revokeMs,
          signal,
        });
        if (answer.status !== 200) {
          warn(setting, `The ${token_type_hint} could not be revoked. It stays valid.`);
        }
      }
    }
  } catch {
    warn(setting, "The tokens could not be revoked.");
  }
}
