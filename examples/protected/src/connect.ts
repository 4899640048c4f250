import {
  authorizationCode,
  createOAuth,
  isAuthError,
  type AuthorizationCodeOptions,
  type AuthStore,
  type ClientRegistration,
} from "@tenon/sdk/auth/client";
import { fileStore, loopbackReceiver, openBrowser } from "@tenon/sdk/auth/node";
import { Client, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";

/** A client that is logged in, or logs in when a server requires it. */
export interface LoggedIn {
  readonly session: ClientSession;
  /** Runs a request, and runs it again after a login if the server requires one. */
  authorized<T>(run: () => Promise<T>): Promise<T>;
}

/** Options of {@link connect}. */
export interface ConnectOptions {
  /** Shows the page of the authorization server. */
  readonly open?: AuthorizationCodeOptions["open"];
  /** Keeps the login, so that the next start needs none. */
  readonly store?: AuthStore;
  /** Makes the client known to authorization servers. By default it registers itself. */
  readonly client?: ClientRegistration;
}

/** Connects to a protected server. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<LoggedIn> {
  const { open = openBrowser, store = fileStore() } = options;
  const { client: registration = { metadata: { name: "Notes client" } } } = options;
  const auth = createOAuth({
    server: url,
    grant: authorizationCode({ receiver: loopbackReceiver(), open }),
    client: registration,
    store,
  });

  /**
   * Runs a request. If the server requires a login or a further scope, the user is asked, and the
   * request runs again.
   */
  async function authorized<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!isAuthError(error, "NEEDS_USER")) {
        throw error;
      }
      await auth.login();
      return run();
    }
  }

  const client = new Client({ name: "notes-client", version: "1.0.0" });
  const session = await authorized(() => client.connect(new StreamableClientTransport(url, { auth })));
  return { session, authorized };
}
