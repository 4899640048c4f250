/**
 * Skills of a server.
 *
 * @packageDocumentation
 */

export * from "@tenon/skills/server";
