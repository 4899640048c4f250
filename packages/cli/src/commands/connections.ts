import type { Invocation } from "../command/invocation.ts";
import { askDaemon, isDaemonRunning, quickMs } from "../kept/client.ts";
import { textOf, visibleLine } from "../output/escape.ts";

/** Lists the kept connections. */
export async function run({ printer, shell }: Invocation): Promise<undefined> {
  const answer = (await isDaemonRunning(shell)) ? await askDaemon(shell, { action: "list" }, quickMs) : {};
  const connections = (answer["connections"] ?? []) as readonly Record<string, unknown>[];
  printer.result({ connections }, () =>
    connections.length === 0
      ? "No connection is kept."
      : connections
          .map((each) =>
            visibleLine(`@${textOf(each["name"])}  ${textOf(each["label"])}  ${textOf(each["revision"])}`),
          )
          .join("\n"),
  );
}
