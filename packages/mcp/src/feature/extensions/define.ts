import { isRecord } from "@tenon/base";
import type { Era } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import type { Extensions } from "./registry.ts";
import { settingsReader } from "./settings.ts";

/** The declaration of an extension. */
export interface ExtensionHeader<S = unknown> {
  /**
   * The name under which the extension is declared: a prefix and a name, `com.example/counter`.
   *
   * @source R-691
   */
  readonly id: string;
  /** The eras in which the extension is declared. Default: both. */
  readonly eras?: readonly Era[] | undefined;
  /**
   * The schema of the settings with which remote peers declare the extension. A peer with invalid
   * settings is treated as if it had not declared the extension. By default all settings are valid.
   */
  readonly settings?: S | undefined;
}

/**
 * Declares an extension and sets it up.
 *
 * @param setup - Returns the settings to declare, or nothing.
 * @throws `McpError` `INVALID_DEFINITION`; the error of `setup`.
 */
export function declareExtension(
  { id, eras, settings }: ExtensionHeader,
  extensions: Pick<Extensions<never>, "declare">,
  onError: (error: unknown) => void,
  setup: () => unknown,
): void {
  const reader = settings === undefined ? undefined : settingsReader(id, settings, onError);
  const declared = { settings: {}, eras, read: reader?.read };
  extensions.declare(id, declared, reader?.load);
  const own = setup();
  if (own !== undefined && !isRecord(own)) {
    throw new McpError("INVALID_DEFINITION", `The setup of ${id} must return its settings, an object.`);
  }
  declared.settings = own ?? {};
}
