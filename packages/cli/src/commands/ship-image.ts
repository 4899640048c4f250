import { planImage } from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";

/** Writes a Dockerfile and a `.dockerignore` for the package of the folder. */
export async function run({ flags, operand, printer, shell }: Invocation): Promise<undefined> {
  const plan = planImage({ folder: shell.cwd, entry: operand("entry"), port: flags.integer("port", 1) });
  const isRehearsal = flags.has("dry-run");
  if (!isRehearsal) {
    await plan.apply({ replaces: flags.has("force") });
  }
  printer.result({ files: plan.files, written: !isRehearsal }, () =>
    plan.files
      .map(({ path, text }) => (isRehearsal ? `${path}\n${text}` : `${path} was written.`))
      .join("\n"),
  );
  return undefined;
}
