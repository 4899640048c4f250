/**
 * Skills of a client: their entries, and their files, which are verified before they are returned.
 *
 * @packageDocumentation
 */

export * from "@tenon/skills/client";
