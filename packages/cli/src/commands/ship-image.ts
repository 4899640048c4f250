import { planImage } from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes } from "../exit.ts";
import { visible } from "../output/escape.ts";
import { findingLines, hasErrors } from "../ship/findings.ts";

/** Writes a Dockerfile and a `.dockerignore` for the package of the folder. */
export async function run({ flags, operand, printer, shell }: Invocation): Promise<number> {
  const plan = planImage({
    folder: shell.cwd,
    entry: operand("entry"),
    port: flags.integer("port", 1, 65_535),
  });
  const fails = hasErrors(plan.findings);
  const writes = !flags.has("dry-run") && !fails;
  if (writes) {
    await plan.apply({ replaces: flags.has("force") });
  }
  const { files, findings } = plan;
  printer.result({ files, findings, written: writes }, () =>
    [
      ...findingLines(printer, findings),
      ...(fails ? ["Nothing was written."] : []),
      ...files.flatMap(({ path, text, changes }) =>
        writes
          ? [`${path} ${changes ? "was written" : "was kept"}.`]
          : fails
            ? []
            : [`${path}\n${visible(text)}`],
      ),
    ].join("\n"),
  );
  return fails ? exitCodes.failed : exitCodes.ok;
}
