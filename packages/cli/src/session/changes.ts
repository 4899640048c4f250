import type { ChangeEffect, DefinitionChange } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";

const severity: readonly ChangeEffect[] = ["breaking", "additive", "cosmetic"];

/**
 * Prints changes of definitions, the breaking ones first. The exit code is 7 if a change is as
 * severe as `--fail-on` names: any change by default.
 */
export function reportChanges({ flags, printer }: Invocation, changes: readonly DefinitionChange[]): number {
  const ordered = changes.toSorted((a, b) => severity.indexOf(a.effect) - severity.indexOf(b.effect));
  const least = severity.indexOf((flags.text("fail-on") ?? "cosmetic") as ChangeEffect);
  const { style } = printer;
  const styles = { breaking: style.bad, additive: style.good, cosmetic: style.dim };
  printer.result({ same: changes.length === 0, changes: ordered }, () => {
    const lines = ordered.map(({ effect, kind, name, path, message }) => {
      const where = [kind, name, path].filter(Boolean).join(" ");
      return `${styles[effect](effect.padEnd(9))} ${visibleLine(`${where}: ${message}`)}`;
    });
    const counts = severity.map(
      (effect) => `${changes.filter((each) => each.effect === effect).length} ${effect}`,
    );
    return [...lines, changes.length === 0 ? "No changes." : counts.join(", ")].join("\n");
  });
  return ordered.some(({ effect }) => severity.indexOf(effect) <= least) ? exitCodes.drift : exitCodes.ok;
}
