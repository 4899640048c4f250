/**
 * Probes and drain, rate limits and quotas, visibility per user, request logs and audit events for
 * servers.
 *
 * @packageDocumentation
 */

export { createAudit, type Audit, type AuditLimits, type AuditOptions } from "./audit/audit.ts";
export type { AuditEvent, AuditGap } from "./audit/event.ts";
export type { AuditWriter } from "./audit/queue.ts";
export { drainable } from "@tenon/base";
export type { HealthCheck } from "./health/checks.ts";
export type { Closable, DrainOptions } from "./health/drain.ts";
export {
  createHealth,
  type Health,
  type HealthLimits,
  type HealthOptions,
  type HealthPaths,
  type HealthStatus,
} from "./health/health.ts";
export { limitLines, type LimitedLogger, type LimitLinesOptions, type LineLimits } from "./limit-lines.ts";
export { logRequests, type LogRequestsOptions } from "./log-requests.ts";
export type { Outcome } from "./outcome.ts";
export { limitCalls, type LimitCallsOptions } from "./rate/calls.ts";
export { tooManyRequests } from "./rate/refusal.ts";
export { limitSenders, type LimitSendersOptions, type RateStoreLimits } from "./rate/senders.ts";
export { visiblePrompts, visibleResources, visibleTools, type MaySee } from "./visibility.ts";
