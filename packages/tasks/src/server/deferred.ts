import { builtinModule } from "@tenon/base";
import { deferredChannel, type DeferredCall, type DeferredFacts, type DeferredRun } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";

interface Channel {
  readonly hasSubscribers: boolean;
  publish(event: DeferredCall | DeferredRun): void;
}

const diagnostics = builtinModule("node:diagnostics_channel") as
  | { channel(name: string): Channel }
  | undefined;

const channel = diagnostics?.channel(deferredChannel);

/** Maximum length of the facts that are kept with a call, as JSON, in UTF-16 code units. */
const maxFacts = 1024;

/** Publishes that a call is kept. @returns The facts to keep with it. */
export function publishDeferred(server: object, tool: string): DeferredFacts {
  let kept: DeferredFacts = {};
  if (channel?.hasSubscribers === true) {
    channel.publish({
      kind: "call",
      server,
      tool,
      keep: (facts) => {
        kept = { ...kept, ...facts };
      },
    });
  }
  return JSON.stringify(kept).length > maxFacts ? {} : kept;
}

/** Publishes a run, and runs it as the subscribers have wrapped it. */
export function runDeferred(
  deferred: Omit<DeferredRun, "kind" | "wrap">,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  if (channel?.hasSubscribers !== true) {
    return run();
  }
  let wrapped = run;
  channel.publish({
    ...deferred,
    kind: "run",
    wrap: (around) => {
      const inner = wrapped;
      wrapped = () => around(inner);
    },
  });
  return wrapped();
}
