/**
 * Brings MCP servers to their users: entries in the configuration files of hosts, bundles, the
 * registry and images.
 *
 * @packageDocumentation
 */

export type { Declaration, DeclaredArgument, DeclaredVariable } from "./declaration.ts";
export { isShipError, ShipError, shipErrors, type ShipErrorCode, type ShipErrorParts } from "./error.ts";
export type { Finding } from "./finding.ts";
export { planImage, type ImageOptions, type ImagePlan } from "./image/image.ts";
export type { DiffLine } from "./install/diff.ts";
export type { ProgramEntry, RemoteEntry } from "./install/form.ts";
export type { HostName, Place } from "./install/host-files.ts";
export { planInstall, type InstallOptions, type InstallPlan } from "./install/plan.ts";
export type { PackLimits } from "./pack/limits.ts";
export type { Manifest } from "./pack/manifest.ts";
export type { PackOptions } from "./pack/options.ts";
export { pack, type PackResult } from "./pack/pack.ts";
export { readBundle, type Files, type ReadBundleOptions } from "./pack/read-zip.ts";
export {
  extractBundle,
  type BundleStart,
  type BundleStartOptions,
  type MissingSetting,
} from "./pack/start.ts";
export { programOf, readPackage, type PackageFacts, type Person } from "./package/read.ts";
export { checkServerJson, type ServerJson, type ServerJsonPackage } from "./registry/check-server-json.ts";
export { planPublish, type PublishOptions, type PublishPlan } from "./registry/publish.ts";
