import { postAsClient } from "./client-post.ts";
import type { GrantContext } from "./grant.ts";
import type { Answer, Unanswered } from "./requests.ts";
import { refusal } from "./token-request.lazy.ts";
import type { ClientIdentity } from "./token-request.ts";
import { readError } from "./token-response.ts";

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
  parameters: Readonly<Record<string, string>>,
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
