/**
 * HTTP handlers on `node:http`. Node only.
 *
 * @packageDocumentation
 */

export * from "@tenon/node";
