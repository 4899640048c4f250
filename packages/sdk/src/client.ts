/**
 * Exports for clients of the Model Context Protocol: `@tenon/sdk` without the exports for servers.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/client";
export * from "./shared.ts";
