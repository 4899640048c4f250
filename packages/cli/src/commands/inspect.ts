import type { InspectorSource, ServerAddress } from "@tenon/inspector";
import type { Transport } from "@tenon/jsonrpc2";
import { taskClient } from "@tenon/tasks/client";

import type { Invocation } from "../command/invocation.ts";
import { aborted } from "../serve/front.ts";
import { openPage, startPage } from "../session/inspector-page.ts";
import { isInteractive } from "../shell.ts";
import { fetchOf } from "../target/proxy.ts";
import { resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { transportTo } from "../target/transport.ts";

/** Shows a target in the inspector page, until the user ends it. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell, signal } = invocation;
  const target = await resolveTarget(invocation);
  await using inspector = await startPage(invocation, { source: sourceOf(invocation, target) });
  const { href } = inspector.url;
  printer.result({ url: href }, () => href);
  printer.note("The link works once. Interrupt to end.");
  const isOpened = isInteractive(shell) && !flags.has("no-open");
  await using _page = isOpened ? await openPage(invocation, inspector) : undefined;
  await aborted(signal);
}

function sourceOf(invocation: Invocation, target: Target): InspectorSource {
  if (target.kind === "cassette") {
    return { kind: "recording", label: target.label, cassette: target.cassette };
  }
  return {
    kind: "live",
    label: target.label,
    address: addressOf(target),
    fetch: fetchOf(invocation),
    transport: ({ fetch }): Transport => ({
      connect: async (options) => (await transportTo(invocation, target, { fetch })).connect(options),
    }),
    extensions: [taskClient()],
  };
}

function addressOf(target: Target): ServerAddress | undefined {
  if (target.kind !== "server") {
    return undefined;
  }
  const { spec } = target;
  return spec.type === "stdio" ? { command: spec.command, args: spec.args } : { url: spec.url };
}
