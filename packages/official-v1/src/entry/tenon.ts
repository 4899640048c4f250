/**
 * The additions of Tenon to the official package, under `@modelcontextprotocol/sdk/tenon.js`.
 *
 * @packageDocumentation
 */

export { configure } from "../shared/configure.ts";
export type { Settings } from "../shared/settings.ts";
