/**
 * Skills of a host with many servers.
 *
 * @packageDocumentation
 */

export * from "@tenon/skills/host";
