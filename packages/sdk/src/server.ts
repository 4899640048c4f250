/**
 * Exports for servers of the Model Context Protocol: `@tenon/sdk` without the exports for clients.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/server";
export * from "./shared.ts";
