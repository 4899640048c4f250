import { unknownOption } from "@tenon/base";

import type { ListOptions } from "../../request/client/options.ts";
import type { RequestExtensionOptions } from "../../request/open.ts";

/** Iterations pass their options on to the requests of their pages. */
const names: Readonly<Record<Exclude<keyof ListOptions, keyof RequestExtensionOptions>, true>> = {
  signal: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  onId: true,
  fresh: true,
  onProgress: true,
  autoFulfil: true,
  capabilities: true,
  onInputRequired: true,
  cursor: true,
  maxPages: true,
};

/**
 * Finds an option of a request that does not exist, neither in the protocol nor in an extension of
 * the client.
 *
 * @param added - The options of extensions, by name.
 * @returns A sentence that names it; `undefined` if all options exist.
 */
export function unknownRequestOption(
  method: string,
  options: object,
  added: Readonly<Record<string, true>>,
): string | undefined {
  // Without a list of entries, because this runs for each call.
  for (const name in options) {
    if (!(name in names) && !(name in added)) {
      return unknownOption(method, options, [...Object.keys(names), ...Object.keys(added)]);
    }
  }
  return undefined;
}
