import { isRecord, type Clock } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { HostError } from "../error.ts";
import { matchesAny } from "../policy/glob.ts";
import type { PinBoard } from "../policy/pins.ts";
import type { Rules } from "../policy/policy.ts";
import { kindOf } from "../returned.ts";
import { within } from "../server/wait.ts";

/** True if a tool is listed and may be called, as far as its name and its own word go. */
export function isAllowed(rules: Rules, name: string, definition: Tool | undefined): boolean {
  return refusal(rules, name, definition) === undefined;
}

/**
 * Returns whether a tool differs from its pin and the policy does not allow that. Until it is
 * accepted, the tool is hidden from the model and not called.
 */
export function isRefused({ drift }: Rules, pins: PinBoard, server: string, tool: string): boolean {
  return drift !== "report" && pins.isDrifted(server, tool);
}

function refusal(rules: Rules, name: string, definition: Tool | undefined): string | undefined {
  if (matchesAny(rules.deny, name)) {
    return "it is denied";
  }
  if (rules.allow !== undefined && !matchesAny(rules.allow, name)) {
    return "it is not among the allowed ones";
  }
  if (rules.readOnly && definition?.annotations?.readOnlyHint !== true) {
    return "only tools with the annotation readOnlyHint may be called";
  }
  return undefined;
}

/** One call that wants to be made. */
export interface Wanted {
  readonly server: string;
  readonly tool: string;
  readonly definition: Tool | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Resolves if a call is permitted, otherwise rejects.
 *
 * @throws `HostError` `DENIED` with the reason, and the error of the approval callback as its
 *   cause. `TIMEOUT` if the approval takes longer than a call may. `signal.reason`.
 */
export async function permit(
  rules: Rules,
  wanted: Wanted,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  const reason = refusal(rules, wanted.tool, wanted.definition);
  if (reason !== undefined) {
    throw denied(wanted, reason);
  }
  if (rules.approve !== undefined) {
    const objection = await ask(rules.approve, rules.limits.totalTimeoutMs, wanted, clock, signal);
    if (objection !== undefined) {
      throw denied(wanted, objection);
    }
  }
}

/** Calls the approval callback. @returns The reason for a rejection. */
async function ask(
  approve: NonNullable<Rules["approve"]>,
  ms: number,
  wanted: Wanted,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { server, tool } = wanted;
  let late: HostError | undefined;
  const expired = (): HostError => {
    const message = `The call of the tool ${tool} of ${server} was not approved within ${ms} ms (policy.limits.totalTimeoutMs).`;
    late = new HostError("TIMEOUT", message, { server, phase: "policy", retryable: true });
    return late;
  };
  let objection: string | undefined;
  try {
    objection = await within(clock, ms, signal, expired, async (limited) =>
      objectionIn(await approve({ ...wanted, signal: limited })),
    );
  } catch (cause) {
    signal?.throwIfAborted();
    throw late ?? denied(wanted, "the approval callback failed", cause);
  }
  signal?.throwIfAborted();
  return objection;
}

/**
 * Why what an approval callback returned does not allow the call; `undefined` if it does: types do
 * not hold at run time, and only the two documented values allow.
 */
function objectionIn(approval: unknown): string | undefined {
  if (approval === true) {
    return undefined;
  }
  if (approval === false) {
    return notApproved;
  }
  if (!isRecord(approval)) {
    return misfit(shown(approval));
  }
  const { approved, reason } = approval;
  if (approved === true) {
    return undefined;
  }
  if (approved === false) {
    return typeof reason === "string" ? reason : notApproved;
  }
  return misfit(approved === undefined ? "an object" : `an object whose "approved" is ${shown(approved)}`);
}

const notApproved = "the call was not approved";

function misfit(got: string): string {
  return `approve must return true, false or { approved: true or false, reason? }; got ${got}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") {
    return `the string ${JSON.stringify(value.slice(0, 100))}`;
  }
  return typeof value === "number" ? `the number ${value}` : kindOf(value);
}

function denied({ server, tool }: Wanted, reason: string, cause?: unknown): HostError {
  return new HostError("DENIED", `The tool ${tool} of ${server} is not called: ${reason}.`, {
    server,
    phase: "policy",
    cause,
  });
}
