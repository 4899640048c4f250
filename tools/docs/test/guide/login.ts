import { createBroker, github, google, type Broker, type BrokerStores, type Upstream } from "@tenon/broker";
import type { Server } from "@tenon/mcp/server";

/** A broker for production. */
export async function brokerOf(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  key: string,
  stores: BrokerStores,
): Promise<Broker> {
  // #region production
  const broker = await createBroker({
    resource: "https://notes.example.com/mcp",
    scopes: { "notes:read": "Read your notes", "notes:write": "Change your notes" },
    upstream: github({ clientId, clientSecret }),
    name: "Example Notes",
    keys: [key],
    stores, // such as createPostgresStores(pool)
  });
  // #endregion production
  return broker;
}

/** A broker for the accounts of one domain. */
export async function brokerOfDomain(
  credentials: { readonly clientId: string; readonly clientSecret: string },
  key: string,
  stores: BrokerStores,
): Promise<Broker> {
  const options = { keys: [key], stores };
  // #region allow
  return createBroker({
    resource: "https://notes.example.com/mcp",
    scopes: { "notes:read": "Read your notes", "notes:write": "Change your notes" },
    upstream: google({ ...credentials, groups: true }),
    allow: ({ groups }) => groups.includes("example.com"),
    scopesOf: ({ email }) =>
      email === "editor@example.com" ? ["notes:read", "notes:write"] : ["notes:read"],
    ...options,
  });
  // #endregion allow
}

/** A tool that calls the API of the provider. */
export function addRepositories(server: Server, broker: Broker): Upstream {
  // #region upstream
  server.addTool({ name: "repositories" }, async (_, { auth }) => {
    const token = await broker.upstreamToken(auth);
    const response = await fetch("https://api.github.com/user/repos", {
      headers: { authorization: `Bearer ${token}` },
    });
    const repositories = (await response.json()) as { readonly full_name: string }[];
    return repositories.map((one) => one.full_name).join("\n");
  });
  // #endregion upstream
  return github({ clientId: "id", clientSecret: "secret", scopes: ["read:user", "repo"] });
}
