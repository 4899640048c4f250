import { pack } from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";
import { counted } from "../output/counted.ts";
import { visibleLine } from "../output/escape.ts";
import { table } from "../output/table.ts";
import { argumentsOf } from "../ship/arguments.ts";
import { environmentOf } from "../target/environment.ts";

/** Packs the server of the folder into a bundle. */
export async function run({ flags, operand, printer, shell, signal }: Invocation): Promise<undefined> {
  printer.progress("Packing, and trying the packed copy …");
  const { called, file, bytes, files, manifest, warnings } = await pack({
    folder: shell.cwd,
    entry: operand("entry"),
    out: flags.text("out"),
    env: environmentOf(flags.list("env"), shell.env),
    args: argumentsOf(flags.list("arg")),
    include: flags.list("include"),
    call: flags.text("call"),
    signal,
  });
  printer.progress(undefined);
  for (const { path, message } of warnings) {
    printer.warn(`${path}: ${message}`);
  }
  const { tools = [] } = manifest;
  printer.result({ file, bytes, files, tools: tools.length, called, warnings, manifest }, () =>
    [
      `${file}: ${size(bytes)}, ${counted(tools.length, "tool")}`,
      ...table(
        files.map((each) => [visibleLine(each.path), size(each.bytes)]),
        { width: printer.width, indent: "  " },
      ),
      called === undefined
        ? "The packed copy was started and listed. No tool was called: see --call."
        : `The packed copy was started and listed, and its tool ${visibleLine(called)} was called.`,
    ].join("\n"),
  );
  return undefined;
}

function size(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}
