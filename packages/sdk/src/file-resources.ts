/**
 * Files as resources: `fileResourceHandler`. Node only.
 *
 * @packageDocumentation
 */

export * from "@tenon/mcp/file-resources";
