import type { Answer, Unanswered } from "../requests.ts";
import { postAsClient } from "../tokens/client-post.ts";
import { refusal } from "../tokens/send-token-request.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import { readError } from "../tokens/token-response.ts";
import type { GrantContext } from "./grant.ts";

/**
 * Sends a form that prepares a login to its endpoint. The client authenticates as at the token
 * endpoint.
 *
 * @throws `AuthError` if the authorization server explains why it refuses.
 */
export async function prepareLogin(
  { setting, server, signal }: GrantContext,
  client: ClientIdentity,
  url: URL,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<Answer | Unanswered> {
  const { issuer } = server;
  const answer = await postAsClient(setting, {
    url,
    issuer,
    tokenEndpoint: server.token_endpoint ?? String(url),
    client,
    methods: server.token_endpoint_auth_methods_supported,
    parameters,
    signal,
  });
  const oauth = readError(answer.json);
  if (oauth !== undefined) {
    throw refusal(setting, issuer, oauth);
  }
  return answer;
}
