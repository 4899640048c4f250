import type { OidcClient } from "oidc-provider";

import type { FlowClient } from "./flows.ts";

/** The properties of a client that a page shows. */
export function clientFacts(client: OidcClient, redirectUri: string | undefined): FlowClient {
  const { clientId, clientName } = client;
  // The client proves that it publishes the document, so its host is known. The name is not.
  const host = client.clientIdMetadataDocument === true ? new URL(clientId).host : undefined;
  return { id: clientId, name: clientName ?? host ?? "a program without a name", host, redirectUri };
}
