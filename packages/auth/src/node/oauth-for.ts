import { checkOptionNames, readLimits } from "@tenon/base";
import { proxyFetch } from "@tenon/http/client";

import type { AuthEvent } from "../client/events.ts";
import { authorizationCode } from "../client/grants/authorization-code.ts";
import { createOAuth } from "../client/oauth.ts";
import { authLimits, sharedOptionNames, type OAuthOptions, type OAuthProvider } from "../client/options.ts";
import { fileStore } from "./file-store.ts";
import { loopbackReceiver } from "./loopback.ts";
import { openBrowser } from "./open-browser.ts";

/** Options of {@link oauthFor}: the options of `createOAuth` that the servers of a host share. */
export interface OAuthForOptions extends Omit<
  OAuthOptions,
  "server" | "grant" | "scopes" | "resource" | "issuer" | "onEvent"
> {
  /**
   * The grant that obtains tokens. Default: `authorizationCode` with `loopbackReceiver()` and
   * `openBrowser`.
   */
  readonly grant?: OAuthOptions["grant"] | undefined;
  /** Keeps tokens and registrations. Default: `fileStore()`. */
  readonly store?: OAuthOptions["store"];
  /** Called with every event. Its errors are ignored. */
  onEvent?(server: string, event: AuthEvent): void;
}

/** A server, as far as its login needs it. */
export interface OAuthServer {
  readonly url: string;
  /** The URL of the proxy for the login, unless `fetch` is set; `false`: no proxy. */
  readonly proxy?: string | false | undefined;
}

/**
 * Returns the `auth` of a host's remote servers: one provider for each server, and one store for
 * all. A server that needs options of its own gets its own `createOAuth` as `auth` of its spec.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 * @example const transports = nodeTransports({ auth: oauthFor() });
 */
export function oauthFor(
  options: OAuthForOptions = {},
): (server: string, spec: OAuthServer) => OAuthProvider {
  checkOptionNames("oauthFor", options, sharedOptionNames, authLimits);
  readLimits(options.limits, authLimits);
  const grant = options.grant ?? authorizationCode({ receiver: loopbackReceiver(), open: openBrowser });
  const store = options.store ?? fileStore();
  const { onEvent, ...shared } = options;
  const providers = new Map<string, OAuthServer & { readonly provider: OAuthProvider }>();
  return (server, { url, proxy }) => {
    const present = providers.get(server);
    if (present?.url === url && present.proxy === proxy) {
      return present.provider;
    }
    void present?.provider.close();
    const listener =
      onEvent === undefined ? {} : { onEvent: (event: AuthEvent): void => onEvent(server, event) };
    const fetch = options.fetch ?? (proxy === undefined ? undefined : proxyFetch(proxy));
    const provider = createOAuth({ ...shared, fetch, server: url, grant, store, ...listener });
    providers.set(server, { url, proxy, provider });
    return provider;
  };
}
