// Generated from schema/2025-06-18/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: aa78d035e1cc4b19e95d53ee57c0bff0de98254ba44956f2c00fe6d214a28306
// To change it: edit schema/, then run `npm run codegen -- generate`.

export { methods } from "./methods.ts";
export type { Methods, Notifications } from "./methods.ts";
export type * from "./types.ts";
