/**
 * The hosts whose configuration files are known, and where these files are.
 *
 * @packageDocumentation
 */

export { hostFiles, hostNames, type HostFile, type HostName, type Place } from "./install/host-files.ts";
