import type { LimitRules } from "@tenon/base";

/** Limits of bundles, when they are written and when they are read. */
export interface PackLimits {
  /** Maximum number of files in a bundle, which may contain packages. Default: `10_000`. */
  readonly maxFiles?: number | undefined;
  /** Maximum size of a file in a bundle, in bytes. Default: `33_554_432` (32 MiB). */
  readonly maxFileBytes?: number | undefined;
  /** Maximum size of all files of a bundle, in bytes. Default: `134_217_728` (128 MiB). */
  readonly maxBundleBytes?: number | undefined;
  /** Maximum number of tools and of prompts that the server may list. Default: `2_000`. */
  readonly maxListed?: number | undefined;
  /** Maximum time to start and list the server, in milliseconds. Default: `30_000`. */
  readonly startTimeoutMs?: number | undefined;
}

/** The rules of {@link PackLimits}. */
export const packLimits: LimitRules<PackLimits> = {
  maxFiles: [10_000, 1],
  maxFileBytes: [33_554_432, 1],
  maxBundleBytes: [134_217_728, 1],
  maxListed: [2000, 1],
  startTimeoutMs: [30_000, 1, 2_147_483_647],
};
