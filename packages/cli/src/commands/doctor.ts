import type { Invocation } from "../command/invocation.ts";
import { examine } from "../doctor/examine.ts";
import { createFindings, type Finding } from "../doctor/finding.ts";
import { fixConfig } from "../doctor/fix-config.ts";
import { exitCodes, usageError } from "../exit.ts";
import { counted } from "../output/counted.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import type { Printer } from "../output/printer.ts";
import { wrap } from "../output/width.ts";
import { readConfigurations, type Configuration } from "../target/configurations.ts";
import { resolveTarget } from "../target/resolve.ts";
import { placeOf, type Target } from "../target/target.ts";

/** The findings about one target, or about this machine. */
interface Report {
  readonly target: string;
  readonly kind: string;
  readonly findings: readonly Finding[];
}

/** Checks a target, every configured server, or this machine and its configurations. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  const reports: Report[] = [];
  const hasTarget = invocation.operand("target") !== undefined || invocation.program !== undefined;
  if (hasTarget && flags.has("all")) {
    throw usageError("--all checks every configured server, so it takes no target.", "tenon doctor --all");
  }
  const folder = flags.text("official");
  if (folder !== undefined) {
    reports.push(await reportOnFolder(invocation, folder));
  } else if (hasTarget) {
    reports.push(await reportOn(invocation, await resolveTarget(invocation)));
  } else {
    const configurations = await readConfigurations(shell, flags.text("config"));
    reports.push({ target: "this machine", kind: "configuration", findings: checkMachine(configurations) });
    for (const target of flags.has("all") ? targetsOf(configurations) : []) {
      reports.push(await reportOn(invocation, target));
    }
  }
  const all = reports.flatMap(({ findings }) => findings);
  const failed = all.filter(({ status }) => status === "failed").length;
  printer.result({ ok: failed === 0, targets: reports }, () =>
    reports.map((report) => textOf(report, printer)).join("\n\n"),
  );
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
}

/** Compares the program of a folder on the official SDK and on Tenon. */
async function reportOnFolder({ printer, signal }: Invocation, folder: string): Promise<Report> {
  const { compareWithOfficial } = await import("../doctor/official.ts");
  const findings = createFindings(({ check }) => printer.progress(`${folder}: ${check}`));
  await compareWithOfficial(folder, signal, findings);
  return { target: folder, kind: "official SDK and Tenon", findings: findings.all };
}

async function reportOn(invocation: Invocation, target: Target): Promise<Report> {
  const { flags, printer } = invocation;
  const findings = createFindings(({ check }) => printer.progress(`${target.label}: ${check}`));
  printer.progress(`${target.label}: start`);
  if (target.kind === "server" && target.file !== undefined) {
    findings.ok("configuration", target.file);
  }
  for (const fixed of flags.has("fix") ? fixConfig(target) : []) {
    printer.note(fixed);
  }
  await examine(invocation, target, findings);
  return { target: target.label, kind: placeOf(target), findings: findings.all };
}

function checkMachine(configurations: readonly Configuration[]): readonly Finding[] {
  const findings = createFindings();
  findings.ok("node", `Node ${process.version}.`);
  const names = new Map<string, string>();
  for (const { path, owner, config, error } of configurations) {
    if (error !== undefined) {
      findings.fail(
        "configuration",
        `${path} (${owner}): ${visibleLine(messageOf(error))}`,
        "correct the file",
      );
      continue;
    }
    const servers = config?.servers ?? [];
    findings.ok(
      "configuration",
      `${path} (${owner}): ${servers.map(({ name }) => visibleLine(name)).join(", ") || "no servers"}.`,
    );
    for (const [name, reason] of config?.errors ?? []) {
      findings.fail(
        "configuration",
        `${path}: ${visibleLine(name)}: ${visibleLine(reason.message)}`,
        "correct the entry, or set the variable",
      );
    }
    for (const { name, unknown } of servers) {
      const keys = Object.keys(unknown);
      if (keys.length > 0) {
        findings.note(
          "configuration",
          `${path}: ${visibleLine(name)} has unknown properties: ${keys.map(visibleLine).join(", ")}.`,
        );
      }
      if (names.has(name)) {
        findings.note("configuration", `${visibleLine(name)} is in ${names.get(name)} and in ${path}.`);
      }
      names.set(name, names.get(name) ?? path);
    }
  }
  if (configurations.length === 0) {
    findings.note(
      "configuration",
      "No configuration of a host was found.",
      "tenon doctor <target>, or tenon config add",
    );
  }
  return findings.all;
}

function targetsOf(configurations: readonly Configuration[]): readonly Target[] {
  return configurations.flatMap(({ path, config }) =>
    (config?.servers ?? [])
      .filter(({ spec }) => spec.disabled !== true)
      .map(({ name, spec, redacted }): Target => ({
        kind: "server",
        label: name,
        spec,
        redacted,
        file: path,
      })),
  );
}

const marks = { ok: "✓", note: "·", warning: "!", failed: "✗" } as const;
const words = { ok: "", note: "", warning: "warning: ", failed: "failed: " } as const;

function textOf({ target, kind, findings }: Report, { style, width }: Printer): string {
  const styles = { ok: style.good, note: style.dim, warning: style.warning, failed: style.bad };
  const column = Math.max(...findings.map(({ check }) => check.length), 0) + 2;
  const lines = findings.flatMap(({ check, status, message, fix }) => {
    const [first = "", ...more] = wrap(`${words[status]}${message}`, width - column - 4);
    const indent = " ".repeat(column + 4);
    const advice = fix === undefined ? [] : wrap(`→ ${fix}`, width - column - 4);
    return [
      `  ${styles[status](marks[status])} ${check.padEnd(column)}${first}`,
      ...more.map((line) => indent + line),
      ...advice.map((line) => indent + style.bold(line)),
    ];
  });
  const count = (status: Finding["status"]): number =>
    findings.filter((each) => each.status === status).length;
  const sum = `${count("ok")} passed, ${counted(count("warning"), "warning")}, ${count("failed")} failed`;
  return [`${style.bold(visibleLine(target))} ${style.dim(`(${kind})`)}`, ...lines, `  ${sum}`].join("\n");
}
