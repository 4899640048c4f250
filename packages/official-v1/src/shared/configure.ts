import { checkOptionNames } from "@tenon/base";

import { settings, type Settings } from "./settings.ts";

/**
 * Changes the settings of this process, for all servers and clients in it.
 *
 * @throws `TypeError` for settings that do not exist or are not valid.
 */
export function configure(changes: Partial<Settings>): void {
  checkOptionNames(
    "configure",
    changes,
    "maxParked maxParkedPerPrincipal parkedMs modernStdio modernHttp probeTimeoutMs",
  );
  for (const [name, value] of Object.entries(changes)) {
    const isSwitch = name.startsWith("modern");
    if (isSwitch ? typeof value !== "boolean" : !(typeof value === "number" && value >= 1)) {
      const expected = isSwitch ? "true or false" : "a number of 1 or more";
      throw new TypeError(`configure: ${name} must be ${expected}; got ${String(value)}.`);
    }
  }
  Object.assign(settings, changes);
}
