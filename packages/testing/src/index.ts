/**
 * A testing kit for servers, clients and hosts of the Model Context Protocol: client and server in
 * one process, recorded conversations, and everything of `@tenon/jsonrpc2/testing`.
 *
 * @packageDocumentation
 */

export * from "@tenon/jsonrpc2/testing";
export * from "./cassette.ts";
export * from "./faults.ts";
export {
  checkServer,
  formatReport,
  type CheckServerOptions,
  type OpenSession,
} from "./check/check-server.ts";
export type { CheckName, ServerFinding, ServerReport } from "./check/report.ts";
export type { ChangeEffect, DefinitionChange } from "./definitions/change.ts";
export { definitionsOf, type Definitions } from "./definitions/collect.ts";
export { diffDefinitions } from "./definitions/diff.ts";
export { formatLock, lockOf, parseLock, type Lock } from "./definitions/lock.ts";
export { load, type LoadBudget, type LoadTestOptions, type LoadReport } from "./load.ts";
export type { LatencyBucket, LatencySummary } from "./load/histogram.ts";
export { pair, type MemoryPairOptions } from "./pair.ts";
export type { Pair, PairCloseOptions, PairOptions } from "./pair/connect.ts";
