import { checkOptionNames } from "@tenon/base";

import type { SafeAuthorizationUrl } from "../discover/url.ts";
import type { RedirectReceiver } from "../login/receiver.ts";
import { failure } from "../setting.ts";
import type { Grant } from "./grant.ts";

/** Options of {@link authorizationCode}. */
export interface AuthorizationCodeOptions {
  /**
   * Receives the response for `login()`, such as `loopbackReceiver()`. Required unless
   * `redirectUri` is given.
   */
  readonly receiver?: RedirectReceiver | undefined;
  /**
   * The URL at which the host itself receives responses, for `begin()` and `finish()`. An https
   * URL, or http on loopback.
   */
  readonly redirectUri?: string | undefined;
  /**
   * Opens a browser, such as `openBrowser` of `@tenon/auth/node`. If it throws, and by default, the
   * event `visit` has the URL; a provider without `onEvent` ends the login with `NEEDS_USER`.
   *
   * @param url - Contains the `state` of the flow: do not log it.
   */
  open?(url: SafeAuthorizationUrl, signal: AbortSignal): void | Promise<void>;
  /** Issuers that support PKCE with S256 without declaring it. */
  readonly assumePkce?: readonly string[] | undefined;
  /**
   * Whether the request is pushed to the authorization server where it supports this (RFC 9126). A
   * server may require it. Default: `true`.
   */
  readonly par?: boolean | undefined;
  /**
   * Whether the scopes are repeated in the token request, for servers that require it. Default:
   * `false`.
   */
  readonly tokenRequestScope?: boolean | undefined;
}

/**
 * Obtains tokens by a login in a browser: the authorization code grant with PKCE.
 *
 * @throws `TypeError` for options that do not exist, and without a way to receive the response.
 * @source R-748
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  checkOptionNames(
    "authorizationCode",
    options,
    "receiver redirectUri open assumePkce par tokenRequestScope",
  );
  const { receiver, redirectUri } = options;
  if (receiver === undefined && redirectUri === undefined) {
    throw new TypeError("authorizationCode needs a receiver, such as loopbackReceiver(), or a redirectUri.");
  }
  // A program whose tokens are stored may never need the rest.
  const load = () => import("../login/login-flow.lazy.ts");
  return {
    isInteractive: true,
    async obtain(context) {
      if (receiver === undefined) {
        throw failure(
          context.setting,
          "NEEDS_USER",
          "The login needs a receiver. Without one, call begin(), and pass the response to finish().",
        );
      }
      const { logInWithReceiver } = await load();
      return logInWithReceiver(context, options, receiver, {});
    },
    async begin(context) {
      if (redirectUri === undefined) {
        throw failure(
          context.setting,
          "NEEDS_USER",
          "begin() needs the option redirectUri; login() does not.",
        );
      }
      const { beginLogin } = await load();
      return beginLogin(context, options, redirectUri);
    },
    async finish(tools, parameters) {
      const { redeemResponse } = await load();
      return redeemResponse(tools, parameters, options.tokenRequestScope === true);
    },
  };
}
