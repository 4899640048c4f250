// Generated from schema/2026-07-28/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: f0a9a05c4482145e10ec70db81a7c7158780fd63b96f83db3bdee3905ed17022
// To change it: edit schema/, then run `npm run codegen -- generate`.

export { methods } from "./methods.ts";
export type { Methods, Notifications } from "./methods.ts";
export type * from "./types.ts";
