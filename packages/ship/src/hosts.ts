/**
 * The hosts whose configuration files are known, where these files are, and how one is written.
 *
 * @packageDocumentation
 */

export { hostFiles, hostNames, type HostFile, type HostName, type Place } from "./install/host-files.ts";
export { writeWhole } from "./write-whole.ts";
