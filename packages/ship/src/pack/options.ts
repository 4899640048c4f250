import type { PackLimits } from "./limits.ts";

/** Options of `pack`. */
export interface PackOptions {
  /** The folder of the package. */
  readonly folder: string;
  /** The file of the server. Default: the program that the package installs. */
  readonly entry?: string | undefined;
  /** The bundle. Default: `<name>-<version>.mcpb` in the folder. */
  readonly out?: string | undefined;
  /** Values of variables while the server is tried. They are not in the bundle. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Values of declared arguments while the server is tried, by their names without dashes. They are
   * not in the bundle.
   */
  readonly args?: Readonly<Record<string, string>> | undefined;
  /** Further files and folders below the folder. They are at the same paths in the bundle. */
  readonly include?: readonly string[] | undefined;
  /**
   * A tool to call without arguments in the packed copy. Default: the first tool with
   * `readOnlyHint` and without required arguments.
   */
  readonly call?: string | undefined;
  /** Stops the server, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limits on the bundle and on the server. */
  readonly limits?: PackLimits | undefined;
}
