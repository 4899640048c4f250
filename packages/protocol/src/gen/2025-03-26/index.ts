// Generated from schema/2025-03-26/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: cc52e07764cad09ad3d659ed86e4b96b1dfdef0c1317f499ed52aecc21d1d97f
// To change it: edit schema/, then run `npm run codegen -- generate`.

export { methods } from "./methods.ts";
export type { Methods, Notifications } from "./methods.ts";
export type * from "./types.ts";
