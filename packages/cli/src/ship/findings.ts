import type { Finding } from "@tenon/ship/node";

import { visibleLine } from "../output/escape.ts";
import type { Printer } from "../output/printer.ts";

/** Whether a finding is an error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity = "error" }) => severity === "error");
}

/** A line for each finding, the errors first. */
export function findingLines({ style }: Printer, findings: readonly Finding[]): readonly string[] {
  const line = ({ path, message, severity = "error" }: Finding): string =>
    `  ${severity === "error" ? style.bad("error") : style.warning("warning")} ${visibleLine(path)}: ${visibleLine(message)}`;
  const of = (wanted: string): readonly string[] =>
    findings.filter(({ severity = "error" }) => severity === wanted).map(line);
  return [...of("error"), ...of("warning")];
}
