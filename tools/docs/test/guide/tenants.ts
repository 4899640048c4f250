// #region tenants
import { AsyncLocalStorage } from "node:async_hooks";

import { Client, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";

/** The tenant for which the running code works. */
const tenant = new AsyncLocalStorage<string>();

/** Opens a session that all tenants share: each request names the tenant of its caller. */
export async function connectForTenants(url: string | URL): Promise<ClientSession> {
  const current = (): string => tenant.getStore() ?? "none";
  const client = new Client(
    { name: "portal", version: "1.0.0" },
    { authorizationContext: current }, // private results are cached for each tenant
  );
  const headers = (): Record<string, string> => ({ "x-tenant": current() });
  return client.connect(new StreamableClientTransport(url, { auth: { headers } }));
}

export function callFor(name: string, session: ClientSession) {
  return tenant.run(name, () => session.callTool({ name: "report" }));
}
// #endregion tenants
