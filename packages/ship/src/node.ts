/**
 * Brings MCP servers to their users: entries in the configuration files of hosts.
 *
 * @packageDocumentation
 */

export { isShipError, ShipError, shipErrors, type ShipErrorCode } from "./error.ts";
export type { ProgramEntry, RemoteEntry } from "./install/entry.ts";
export type { HostName, Place } from "./install/host-files.ts";
export { planInstall, type InstallOptions, type InstallPlan } from "./install/plan.ts";
