/**
 * JSON Schema: validators, types from schemas and schemas from classes.
 *
 * @packageDocumentation
 */

export * from "@tenon/jsonschema";
