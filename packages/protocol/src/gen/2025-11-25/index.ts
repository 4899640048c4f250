// Generated from schema/2025-11-25/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: 3478f2b06b8f914d32c64d47f1a4c900916d046513b4f0cc891ee9da7856c511
// To change it: edit schema/, then run `npm run codegen -- generate`.

export { methods } from "./methods.ts";
export type { Methods, Notifications } from "./methods.ts";
export type * from "./types.ts";
