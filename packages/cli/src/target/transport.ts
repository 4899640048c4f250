import { systemClock } from "@tenon/base";
import { lineRedactor } from "@tenon/http/redact";
import type { Transport } from "@tenon/jsonrpc2/core";

import { usesLogin } from "../auth/uses-login.ts";
import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { chosenSpec } from "./chosen-spec.ts";
import { proxyOf } from "./proxy.ts";
import type { Target } from "./target.ts";

/** Options of {@link transportTo}. */
export interface TargetTransportOptions {
  /** Called with each line that a program writes to standard error. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** Sends the requests to a remote server. */
  readonly fetch?: typeof fetch | undefined;
}

/** The transport to a target. Each connection to a program starts the program. */
export async function transportTo(
  invocation: Invocation,
  target: Target,
  options: TargetTransportOptions = {},
): Promise<Transport> {
  switch (target.kind) {
    case "server":
      return serverTransport(invocation, target, options);
    case "module": {
      const { createInMemoryTransports } = await import("@tenon/transports-memory");
      const { server } = target;
      return {
        async connect(options) {
          const [here, there] = createInMemoryTransports();
          await server.connect(there);
          return here.connect(options);
        },
      };
    }
    case "cassette": {
      const { replayTarget } = await import("./replay.ts");
      return replayTarget(target.cassette, invocation.flags.text("match"));
    }
    case "kept":
      return (await import("../kept/client.ts")).keptTransport(invocation.shell, target.name);
  }
}

async function serverTransport(
  invocation: Invocation,
  { label, spec }: Extract<Target, { kind: "server" }>,
  { onLine, fetch }: TargetTransportOptions,
): Promise<Transport> {
  const { nodeTransports } = await import("@tenon/host/node");
  const { printer } = invocation;
  const proxied = proxyOf(invocation, spec.type === "stdio" ? undefined : spec.proxy);
  const redact = lineRedactor();
  const onStderr = (_: string, line: string): void => {
    onLine?.(line);
    if (printer.isVerbose) {
      printer.note(`${label}: ${visibleLine(redact(line))}`);
    }
  };
  const { authFor } = usesLogin(spec) ? await import("../auth/provider.ts") : { authFor: undefined };
  const transports = nodeTransports({
    onStderr,
    fetch: fetch ?? proxied,
    ...(authFor === undefined ? {} : { auth: authFor(invocation, proxied) }),
  });
  return transports(label, chosenSpec(invocation, spec), {
    onSessionRestored: () => printer.note("The session was opened again."),
  });
}

/** A signal that aborts when the user interrupts, or after a time in milliseconds. */
export function signalWithin(signal: AbortSignal, ms: number | undefined): AbortSignal & Disposable {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) {
    abort();
  }
  const giveUp = (): void => {
    const hint = "allow more time with --timeout, or run `tenon doctor` with the same target";
    controller.abort(new CliError("timeout", `No response within ${ms} ms.`, { hint }));
  };
  const timer = ms === undefined ? undefined : systemClock.setTimeout(giveUp, ms, true);
  return Object.assign(controller.signal, {
    [Symbol.dispose]() {
      signal.removeEventListener("abort", abort);
      if (timer !== undefined) {
        systemClock.clearTimeout(timer);
      }
    },
  });
}
