/**
 * Skills from folders (Node.js).
 *
 * @packageDocumentation
 */

export * from "@tenon/skills/node";
