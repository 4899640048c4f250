import { context, propagation, ROOT_CONTEXT as root, SpanKind, trace, type Link } from "@opentelemetry/api";
import { isBranded } from "@tenon/base";
import type { DeferredCall, DeferredFacts, DeferredRun } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";

import { subscribe } from "./channel.ts";
import { Attribute, Channel } from "./names.ts";
import type { Observer } from "./observer.ts";
import { endSpan, failed, succeeded, type Outcome } from "./outcome.ts";
import { traceKeys } from "./propagation.ts";
import type { Telemetry } from "./telemetry.ts";

/** Marks the errors that `isSuspension` of `@tenon/mcp` recognizes, which is not imported. */
const suspension = Symbol.for("@tenon/mcp/Suspension");

/**
 * Observes the tasks of a server: the trace context of the request is kept with the task, and each
 * run, in any process, is a trace of its own with a link to the request.
 *
 * @returns Ends the observation.
 */
export function observeDeferred(
  owner: object,
  observer: Observer,
  telemetry: Telemetry,
  hasSpans: (method: string) => boolean,
): () => void {
  return subscribe(Channel.deferred, (published) => {
    const event = published as DeferredCall | DeferredRun;
    if (event.server !== owner || !observer.isActive) {
      return;
    }
    if (event.kind === "call") {
      event.keep(activeTrace());
    } else {
      event.wrap((run) => observed(event, run, telemetry, hasSpans("tools/call")));
    }
  });
}

/** The active span, as the configured propagator writes it. */
function activeTrace(): DeferredFacts {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return Object.fromEntries(Object.entries(carrier).filter(([key]) => traceKeys.includes(key)));
}

function linksOf(facts: DeferredFacts): Link[] {
  const creator = trace.getSpanContext(propagation.extract(root, facts));
  return creator === undefined ? [] : [{ context: creator }];
}

async function observed(
  { tool, context: request, facts }: DeferredRun,
  run: () => Promise<CallToolResult>,
  telemetry: Telemetry,
  hasSpan: boolean,
): Promise<CallToolResult> {
  const started = performance.now();
  const shared = { [Attribute.operation]: "execute_tool", [Attribute.tool]: tool };
  const span = hasSpan
    ? telemetry.tracer?.startSpan(
        `task ${tool}`,
        {
          root: true,
          kind: SpanKind.CONSUMER,
          attributes: { ...shared, ...taskOf(request) },
          links: linksOf(facts),
        },
        root,
      )
    : undefined;
  const settled = telemetry.begin("tenon.task.run.active", shared);
  const end = (outcome: Outcome): void => {
    settled();
    telemetry.record("tenon.task.run.duration", started, { ...shared, ...outcome.attributes });
    if (span !== undefined) {
      endSpan(span, outcome);
    }
  };
  try {
    const result = await context.with(span === undefined ? root : trace.setSpan(root, span), run);
    // A handler whose run was ended, such as by a cancellation, has failed because of that.
    const { aborted, reason } = request.signal;
    end(
      result.isError === true && aborted ? failed("server", false, reason) : succeeded("tools/call", result),
    );
    return result;
  } catch (error) {
    end(isBranded(error, suspension) ? { attributes: {}, hasResult: false } : failed("server", false, error));
    throw error;
  }
}

/** The task of a run, if `@tenon/tasks` runs it. */
function taskOf(request: object): Record<string, string | number> {
  const task = "task" in request ? request.task : undefined;
  if (typeof task !== "object" || task === null || !("id" in task && "attempt" in task)) {
    return {};
  }
  const { id, attempt } = task;
  return {
    ...(typeof id === "string" ? { [Attribute.taskId]: id } : {}),
    ...(typeof attempt === "number" ? { [Attribute.taskAttempt]: attempt } : {}),
  };
}
