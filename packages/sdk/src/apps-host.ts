/**
 * Views of servers in a host: their sandbox, and the conversation with them.
 *
 * @packageDocumentation
 */

export * from "@tenon/apps/host";
