import type { Grant } from "./grant.ts";
import { askForTokens, issuedBy } from "./issue.ts";

/**
 * Obtains tokens for the client itself, without a user. Pass the client in `client.registered`, or
 * return it from `client.requestClient`.
 *
 * @source R-762
 */
export function clientCredentials(): Grant {
  return {
    isInteractive: false,
    extension: "io.modelcontextprotocol/oauth-client-credentials",
    async obtain(context) {
      const client = await context.registrar.preregistered(context.server.issuer, context.signal);
      const request = {
        client,
        grantType: "client_credentials",
        parameters: {},
        proofKey: await context.keys.create(),
      };
      return issuedBy(context, request, await askForTokens(context, request));
    },
  };
}
