import type { LimitRules, ResolvedLimits } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { checkOptionNames, invalidOption, limitsOf } from "../limits.ts";

/** Limits of one server. */
export interface PolicyLimits {
  /**
   * Total timeout of a connection, until it is ready, in milliseconds. A stdio server has 120,000
   * by default, because a first start may download it. Default: `30_000`.
   */
  readonly connectTimeoutMs?: number | undefined;
  /** Total timeout of a whole list, in milliseconds. Default: `30_000`. */
  readonly listTimeoutMs?: number | undefined;
  /**
   * Idle timeout of a call, in milliseconds. Progress notifications restart it. After it the call
   * fails with `TIMEOUT`. Default: `60_000`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Total timeout of a call, a prompt or a resource, and of `approve` before a call, in
   * milliseconds. Progress does not restart it. After it the request fails with `TIMEOUT`. Default:
   * `600_000` (10 minutes).
   */
  readonly totalTimeoutMs?: number | undefined;
  /** Maximum number of concurrent calls. Further calls wait. Default: `8`. */
  readonly maxInFlight?: number | undefined;
  /**
   * Maximum number of calls that wait for other calls, and of requests that wait for the rate
   * limit. Further ones reject with `LIMIT_EXCEEDED`. Default: `1_024`.
   */
  readonly maxWaiting?: number | undefined;
  /** Maximum number of times that a request is sent again. Default: `1`. */
  readonly maxRetries?: number | undefined;
  /**
   * Maximum size of a result, in bytes of text (UTF-16 units) and base64. Larger results are
   * truncated, with a mark. Default: `1_048_576` (1 MiB).
   */
  readonly maxResultBytes?: number | undefined;
}

/** The rules of {@link PolicyLimits}. */
export const policyLimits: LimitRules<PolicyLimits> = {
  connectTimeoutMs: [30_000, 1],
  listTimeoutMs: [30_000, 1],
  timeoutMs: [60_000, 1],
  totalTimeoutMs: [600_000, 1],
  maxInFlight: [8, 1],
  maxWaiting: [1024, 0],
  maxRetries: [1, 0],
  maxResultBytes: [1_048_576, 0],
};

/** The default of `connectTimeoutMs` for stdio servers: a first start may have to download them. */
const localConnectMs = 120_000;

/** A call that wants to be made. */
export interface ApprovalRequest {
  readonly server: string;
  readonly tool: string;
  /** As the server describes it, if that is known. Its annotations are the server's word. */
  readonly definition: Tool | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  /**
   * Fires when the caller does not want the call any more, or after `limits.totalTimeoutMs`: a
   * dialog may be closed then.
   */
  readonly signal: AbortSignal;
}

/**
 * `true` and `{ approved: true }` allow the call; every other value refuses it. `reason` appears in
 * the error.
 */
export type Approval = boolean | { readonly approved: boolean; readonly reason?: string | undefined };

/**
 * Rate of requests to a server: a burst of `requests`, refilled evenly over `perMs` milliseconds.
 */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

/** The permissions of a server. */
export interface Policy {
  /** Timeouts, and limits on calls and results. Each limit has its own default. */
  readonly limits?: PolicyLimits | undefined;
  /**
   * Tools that may be called and are listed: names with `*` for any characters and `?` for one
   * character. By default all tools are allowed.
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * Tools that may not be called and are not listed, even if `allow` matches. By default no tool is
   * denied.
   */
  readonly deny?: readonly string[] | undefined;
  /**
   * Allows only tools whose annotations declare that they change nothing (`readOnlyHint`). Default:
   * `false`.
   */
  readonly readOnly?: boolean | undefined;
  /**
   * Called before each call of a tool, which waits for it. The call is made if it returns `true` or
   * `{ approved: true }`; everything else, an error included, refuses it (`DENIED`). After
   * `limits.totalTimeoutMs` the call fails with `TIMEOUT`. Default: every call is made.
   */
  readonly approve?: ((request: ApprovalRequest) => Approval | Promise<Approval>) | undefined;
  /**
   * Maximum rate of all requests to the server: calls, lists, prompts and resources. Requests above
   * the rate wait. By default the rate is not limited.
   */
  readonly rateLimit?: RateLimit | undefined;
  /**
   * The calls that are repeated after the connection is lost: `never`; `undelivered`, calls that
   * certainly did not reach the server; `idempotent`, also calls of tools whose annotations declare
   * that a repetition is harmless (`readOnlyHint`, `idempotentHint`). No other call is ever
   * repeated. Default: `undelivered`.
   */
  readonly retry?: "never" | "undelivered" | "idempotent" | undefined;
  /**
   * The handling of a tool whose definition differs from the pinned definition. `tool_changed` is
   * emitted in any case. A rejected tool is neither listed nor called (`TOOL_CHANGED`) until
   * `acceptTools`. `refuse-changed` rejects tools that have changed since they were pinned, and
   * pins new tools; `refuse` also rejects new tools; `report` rejects none. Default:
   * `"refuse-changed"`.
   */
  readonly drift?: "report" | "refuse-changed" | "refuse" | undefined;
  /**
   * Whether the server may ask the user, use the model, and know the roots; matters only where the
   * manager has handlers. Default `true`.
   */
  readonly elicitation?: boolean | undefined;
  readonly sampling?: boolean | undefined;
  readonly roots?: boolean | undefined;
}

/** A policy with everything filled in. */
export interface Rules {
  readonly limits: ResolvedLimits<PolicyLimits>;
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly readOnly: boolean;
  readonly approve: Policy["approve"];
  readonly rateLimit: RateLimit | undefined;
  readonly retry: "never" | "undelivered" | "idempotent";
  readonly drift: "report" | "refuse-changed" | "refuse";
  readonly elicitation: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

const policyNames = [
  "limits allow:array deny:array readOnly approve:function rateLimit:object",
  "retry drift elicitation sampling roots",
] as const;

/** A misspelt choice would allow what it was meant to refuse. */
function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value)) {
    throw invalidOption(`policy: ${name} must be ${choices.join(" or ")}; got ${JSON.stringify(value)}.`);
  }
}

/**
 * A server's policy over the manager's, over the defaults.
 *
 * @param local - Whether the server is a stdio server.
 * @throws `HostError` `INVALID_OPTION` for options that do not exist, and for values that are not
 *   allowed.
 */
export function rulesOf(own: Policy = {}, common: Policy = {}, local = false): Rules {
  for (const policy of [own, common]) {
    checkOptionNames("policy", policy, policyNames, policyLimits);
    checkChoice("retry", policy.retry, ["never", "undelivered", "idempotent"]);
    checkChoice("drift", policy.drift, ["report", "refuse-changed", "refuse"]);
  }
  const given = { ...defined(common.limits), ...defined(own.limits) };
  const limits = limitsOf(
    local ? { connectTimeoutMs: localConnectMs, ...given } : given,
    policyLimits,
    "policy.limits",
  );
  const { approve, allow, rateLimit, ...rest }: Policy = { ...defined(common), ...defined(own) };
  return {
    deny: [],
    readOnly: false,
    retry: "undelivered",
    drift: "refuse-changed",
    elicitation: true,
    sampling: true,
    roots: true,
    ...(rest as Partial<Rules>),
    limits,
    approve,
    allow,
    rateLimit,
  };
}

function defined<T extends object>(values: T | undefined): Partial<T> {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
