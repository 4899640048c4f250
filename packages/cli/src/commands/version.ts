import { revisions } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";

/** Prints the versions. */
export async function run({ printer, shell }: Invocation): Promise<undefined> {
  const value = { tenon: shell.version, node: process.version, protocol: revisions };
  printer.result(value, () =>
    [`tenon     ${value.tenon}`, `node      ${value.node}`, `protocol  ${revisions.join(", ")}`].join("\n"),
  );
}
