import type { Source } from "@tenon/jsonschema/core";
import { resolveSchema } from "@tenon/jsonschema/lazy";

import { McpError } from "../../base/error.ts";
import { explaining, resolveOrRefuse } from "../resolve-schema.ts";
import type { ReadSettings } from "./registry.ts";

/** The number of different warnings after which no more are reported. */
const maxWarnings = 16;

/** Reads the settings of remote peers. */
export interface SettingsReader {
  readonly read: ReadSettings;
  /** Loads what the schema needs; `undefined` if it is loaded. */
  load(): Promise<unknown> | undefined;
}

/**
 * Makes a validator of the settings that remote peers declare for an extension.
 * Invalid settings are reported to `onError`, each kind once.
 *
 * @param source - A schema that validates without a promise.
 * @throws `McpError` `INVALID_DEFINITION` for a schema that is not valid.
 */
export function settingsReader(
  id: string,
  source: unknown,
  onError: (error: unknown) => void,
): SettingsReader {
  const schema = resolveOrRefuse(`The settings of ${id} have a schema that is not valid`, () =>
    resolveSchema(source as Source),
  );
  const warned = new Set<string>();
  const warn = (reasons: string): void => {
    if (warned.size < maxWarnings && !warned.has(reasons)) {
      warned.add(reasons);
      const message = `The remote peer declares ${id} with invalid settings, so the extension is not used with it: ${reasons}`;
      onError(new McpError("INVALID_SETTINGS", message));
    }
  };
  return {
    load: () => schema.load?.(),
    read: (settings) => {
      const checked = schema.check(settings);
      if (checked instanceof Promise) {
        checked.catch(() => undefined);
        warn("the schema of the settings needs a promise to validate them");
        return undefined;
      }
      if (checked.valid) {
        return checked.value as Readonly<Record<string, unknown>>;
      }
      const explained = explaining.use(({ explain }) => {
        warn(explain(checked.errors));
      });
      if (explained instanceof Promise) {
        explained.catch(onError);
      }
      return undefined;
    },
  };
}
