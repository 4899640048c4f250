/**
 * Stores in a Durable Object of Cloudflare Workers: tasks, events, sessions, leases, used proofs,
 * rate limits and a bus in one object.
 *
 * @packageDocumentation
 */

export type { ObjectStorage } from "./object/connection.ts";
export { createObjectStores, type ObjectStores } from "./object/stores.ts";
export type { SqliteStoreLimits } from "./limits.ts";
export type { SqliteStoresOptions } from "./stores.ts";
