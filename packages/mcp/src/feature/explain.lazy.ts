export { explain } from "@tenon/jsonschema/core";
