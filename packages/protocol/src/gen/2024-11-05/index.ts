// Generated from schema/2024-11-05/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: a14216d3743ca9164f89cf5751f2963d49aa06f8941cd29ec975131cd2faec4c
// To change it: edit schema/, then run `npm run codegen -- generate`.

export { methods } from "./methods.ts";
export type { Methods, Notifications } from "./methods.ts";
export type * from "./types.ts";
