/**
 * What a server of the Model Context Protocol needs: as `@tenon/sdk`, without what only clients do.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/server";
export * from "./shared.ts";
