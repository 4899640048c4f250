import { temporary } from "../requests.ts";
import { failure } from "../setting.ts";
import type { ClientIdentity } from "../tokens/token-request.ts";
import { prepareLogin } from "../upkeep.lazy.ts";
import type { GrantContext } from "./grant.ts";

/**
 * Pushes an authorization request to its server, which keeps long URLs out of browsers (RFC 9126).
 *
 * @returns The parameters of the URL that remain; `undefined` if the server does not support pushed
 *   requests.
 * @throws `AuthError`.
 */
export async function pushRequest(
  context: GrantContext,
  client: ClientIdentity,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string> | undefined> {
  const { setting, server } = context;
  const { issuer, pushed_authorization_request_endpoint: endpoint } = server;
  if (endpoint === undefined) {
    return undefined;
  }
  const url = setting.rules.parse(endpoint, "pushed authorization request endpoint");
  const answer = await prepareLogin(context, client, url, parameters);
  const { request_uri: requestUri } = answer.json ?? {};
  if (typeof requestUri === "string") {
    return { client_id: client.id, request_uri: requestUri };
  }
  if (answer.status !== undefined && answer.status < 500) {
    throw failure(
      setting,
      "METADATA_INVALID",
      "The response to a pushed authorization request must have a request_uri. Set par to false if the server does not require it.",
      { issuer },
    );
  }
  throw temporary(setting, "response to a pushed authorization request", url, answer, issuer);
}
