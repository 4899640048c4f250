import type { AuthError, AuthErrorCode } from "../../shared/error.ts";
import { temporary, type Answer, type Unanswered } from "../requests.ts";
import { failure, warn, type Setting } from "../setting.ts";
import { postAsClient } from "./client-post.ts";
import type { TokenOutcome, TokenRequest } from "./token-request.ts";
import { readError, readTokens, type OAuthError } from "./token-response.ts";

/**
 * Maximum number of sends: the first, after a nonce, and after a correction of the clock or a lost
 * connection.
 */
const maxSends = 3;
/** A difference of clocks below this is not corrected, in milliseconds. */
const minSkew = 30_000;

/** The warning for a store that fails after a token request has failed. */
export const unnoted = "The store failed to note that a token request failed.";

/**
 * Sends a request to a token endpoint, and checks the response. Rejects only if `signal` aborts
 * before it is sent, or for a response that is not valid.
 */
export async function requestTokens(setting: Setting, request: TokenRequest): Promise<TokenOutcome> {
  const { issuer } = request;
  const url = setting.rules.parse(request.tokenEndpoint, "token endpoint");
  const answer = await sendTokenRequest(setting, request, url);
  const oauth = readError(answer.json);
  const undecided = (reason: "lost" | "transient"): TokenOutcome => ({
    reason,
    error: temporary(setting, "token response", url, answer, issuer),
  });
  if (answer.status === undefined || oauth === undefined) {
    if ((answer.status === 200 || answer.status === 201) && answer.json !== undefined) {
      const { read = (json) => readTokens(setting, json, request) } = request;
      return { tokens: await read(answer.json) };
    }
    return undecided(answer.delivered === "maybe" ? "lost" : "transient");
  }
  const isTransient =
    answer.status >= 500 ||
    [408, 425, 429].includes(answer.status) ||
    ["temporarily_unavailable", "server_error"].includes(oauth.error);
  return isTransient
    ? undecided("transient")
    : { reason: "refused", oauth, error: refusal(setting, issuer, oauth) };
}

async function sendTokenRequest(
  setting: Setting,
  request: TokenRequest,
  url: URL,
): Promise<Answer | Unanswered> {
  const { grantType, parameters, proofKey } = request;
  const tried = new Set<string>();
  for (let sends = 1; ; sends++) {
    const answer = await postAsClient(setting, {
      ...request,
      url,
      parameters: { grant_type: grantType, ...parameters },
      // A request is not cancelled once it was sent. Its response may be the only copy of tokens,
      // which have to be stored or revoked.
      isKept: true,
    });
    const reason = repetition(setting, url, answer, proofKey !== undefined);
    if (reason === undefined || tried.has(reason) || sends === maxSends) {
      return answer;
    }
    tried.add(reason);
  }
}

/** Why a request is sent again; each reason counts once. */
function repetition(
  setting: Setting,
  url: URL,
  answer: Answer | Unanswered,
  isBound: boolean,
): string | undefined {
  const { nonces } = setting;
  if (answer.status === undefined) {
    return answer.delivered === "no" ? "unsent" : undefined;
  }
  const isNew = nonces.learn(url, answer.header("dpop-nonce"));
  const error = readError(answer.json)?.error;
  if (isBound && isNew && error === "use_dpop_nonce") {
    return "nonce";
  }
  if (error === "invalid_client" || error === "invalid_dpop_proof") {
    const theirs = Date.parse(answer.header("date") ?? "");
    const skew = theirs - setting.date();
    if (Math.abs(skew) > minSkew) {
      nonces.setSkew(url, skew);
      warn(
        setting,
        `The clock of ${url.host} differs by ${Math.round(skew / 1000)} seconds; assertions follow it.`,
      );
      return "skew";
    }
  }
  return undefined;
}

/** The code of an error, and advice for the user. */
type Hint = readonly [AuthErrorCode, string];
const rejected: Hint = [
  "CLIENT_REJECTED",
  "Check the identifier, the credentials and the grants of the client.",
];
const later: Hint = ["AUTH_TEMPORARY", "Try again later."];
/** By the error code of OAuth. */
const hints = new Map<string, Hint>([
  ["invalid_grant", ["GRANT_EXPIRED", "The user has to log in again."]],
  ["invalid_client", rejected],
  ["unauthorized_client", rejected],
  ["access_denied", ["USER_DENIED", "The user may log in again."]],
  ["server_error", later],
  ["temporarily_unavailable", later],
  ["invalid_scope", ["SCOPE_DENIED", "Check the scopes."]],
  [
    "invalid_target",
    [
      "TOKEN_INVALID",
      'Check resource of createGuard. If this server does not support the parameter resource: set resource to "omit".',
    ],
  ],
]);

/** The error for a refusal that the authorization server has explained. */
export function refusal(
  setting: Pick<Setting, "server">,
  issuer: string,
  { error, text }: OAuthError,
): AuthError {
  const [code, hint]: Hint = hints.get(error) ?? [
    "TOKEN_INVALID",
    /AADSTS90[01]/.test(text)
      ? 'This server does not support the parameter resource: set resource to "omit".'
      : "Check the configuration of the client.",
  ];
  return failure(setting, code, `The authorization server responded with ${text}. ${hint}`, { issuer });
}
