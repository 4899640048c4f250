/**
 * Tools that fit into the context of a model: an index over their definitions, deferred definitions
 * of vendors, and tools that search.
 *
 * @packageDocumentation
 */

export * from "@tenon/host/search";
