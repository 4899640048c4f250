import type { Tool } from "@tenon/protocol";

import { HostError } from "../error.ts";
import { matchesAny } from "../policy/glob.ts";
import type { Rules } from "../policy/policy.ts";

/** True if a tool is listed and may be called, as far as its name and its own word go. */
export function isAllowed(rules: Rules, name: string, definition: Tool | undefined): boolean {
  return refusal(rules, name, definition) === undefined;
}

function refusal(rules: Rules, name: string, definition: Tool | undefined): string | undefined {
  if (matchesAny(rules.deny, name)) {
    return "it is denied";
  }
  if (rules.allow !== undefined && !matchesAny(rules.allow, name)) {
    return "it is not among the allowed ones";
  }
  if (rules.readOnly && definition?.annotations?.readOnlyHint !== true) {
    return "only tools that say that they change nothing may be called";
  }
  return undefined;
}

/** One call that wants to be made. */
export interface Wanted {
  readonly server: string;
  readonly tool: string;
  readonly definition: Tool | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
}

/** Lets a call through, or rejects. @throws `HostError` `DENIED` with the reason; what the approval callback threw, as its cause. */
export async function permit(rules: Rules, wanted: Wanted): Promise<void> {
  const reason = refusal(rules, wanted.tool, wanted.definition);
  if (reason !== undefined) {
    throw denied(wanted, reason);
  }
  if (rules.approve === undefined) {
    return;
  }
  let approval: Awaited<ReturnType<NonNullable<Rules["approve"]>>>;
  try {
    approval = await rules.approve(wanted);
  } catch (cause) {
    wanted.signal?.throwIfAborted();
    throw denied(wanted, "the question whether it may be called was not answered", cause);
  }
  wanted.signal?.throwIfAborted();
  if (typeof approval === "object" ? !approval.approved : !approval) {
    const why = typeof approval === "object" ? approval.reason : undefined;
    throw denied(wanted, why ?? "the call was not approved");
  }
}

function denied({ server, tool }: Wanted, reason: string, cause?: unknown): HostError {
  return new HostError("DENIED", `The tool ${tool} of ${server} is not called: ${reason}.`, {
    server,
    phase: "policy",
    cause,
  });
}
