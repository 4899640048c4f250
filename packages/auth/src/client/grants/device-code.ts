import { checkOptionNames, requireOptions } from "@tenon/base";

import type { SafeAuthorizationUrl } from "../discover/url.ts";
import type { Grant } from "./grant.ts";

/** The data that a user needs to log in on another device. */
export interface DevicePrompt {
  /** The code to enter. */
  readonly userCode: string;
  /** The page to visit. */
  readonly url: SafeAuthorizationUrl;
  /** The same page with the code filled in, if the server offers it. */
  readonly completeUrl: SafeAuthorizationUrl | undefined;
  /** When the code expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Options of {@link deviceCode}. */
export interface DeviceCodeOptions {
  /** Shows the code and the page to the user. */
  show(prompt: DevicePrompt): void | Promise<void>;
}

/**
 * Obtains tokens by a login on another device, for machines without a browser (RFC 8628). @throws
 * `TypeError` for options that do not exist.
 */
export function deviceCode(options: DeviceCodeOptions): Grant {
  checkOptionNames("deviceCode", options, "show");
  requireOptions("deviceCode", options, { show: "function" });
  return {
    isInteractive: true,
    async obtain(context) {
      const { logInOnDevice } = await import("./device-login.lazy.ts");
      return logInOnDevice(context, options);
    },
  };
}
