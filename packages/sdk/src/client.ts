/**
 * What a client of the Model Context Protocol needs: as `@tenon/sdk`, without what only servers do.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/client";
export * from "./shared.ts";
