import {
  authorizationCode,
  clientCredentials,
  createOAuth,
  privateKeyJwt,
  type AuthStore,
  type OAuthOptions,
  type OAuthProvider,
} from "@tenon/sdk/auth/client";
import { oauthFor, type OAuthForOptions } from "@tenon/sdk/auth/node";
import { Manager, type ServerSpec } from "@tenon/sdk/host";
import { nodeTransports } from "@tenon/sdk/host/node";

type Fetch = OAuthOptions["fetch"];

/** The service of docs/authorization.md. */
export function createService(url: string, issuer: string, key: string, fetch: Fetch): OAuthProvider {
  // #region service
  const auth = createOAuth({
    server: url,
    grant: clientCredentials(),
    client: { registered: [{ issuer, clientId: "reports", auth: privateKeyJwt({ key }) }] },
    fetch, // optional: how authorization servers are reached
  });
  // #endregion service
  return auth;
}

/** The web application of docs/authorization.md. Its handlers may run in different processes. */
export function createWebHost(
  url: string,
  store: AuthStore,
  fetch: Fetch,
): {
  authOf(user: string): OAuthProvider;
  startLogin(user: string): Promise<string>;
  finishLogin(user: string, callback: URL): Promise<void>;
} {
  // #region web
  function authOf(user: string): OAuthProvider {
    return createOAuth({
      server: url,
      account: user, // users never share tokens
      grant: authorizationCode({ redirectUri: "https://app.example/callback" }),
      store, // shared by all processes
      fetch,
    });
  }

  async function startLogin(user: string): Promise<string> {
    const page = await authOf(user).begin();
    return page.url.href; // redirect the browser of the user to it
  }

  async function finishLogin(user: string, callback: URL): Promise<void> {
    await authOf(user).finish(callback);
  }
  // #endregion web
  return { authOf, startLogin, finishLogin };
}

/** The host of docs/authorization.md. @param options - Of its logins. */
export function createHost(
  servers: Record<string, ServerSpec>,
  options: OAuthForOptions,
  print: (line: string) => void,
): { manager: Manager; click(): Promise<void> } {
  let click = (): Promise<void> => Promise.resolve();
  // #region host
  const auth = oauthFor({ client: { metadata: { name: "My agent" } }, ...options });
  const manager = new Manager({ servers, transports: nodeTransports({ auth }) });
  manager.on("auth_required", ({ server, login }) => {
    print(`${server} requires a login.`);
    click = async () => login?.(); // call it when the user clicks
  });
  // #endregion host
  return { manager, click: () => click() };
}
