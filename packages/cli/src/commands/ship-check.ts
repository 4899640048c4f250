import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isShipError, pack, planPublish, readPackage, type Finding } from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { argumentsOf } from "../ship/arguments.ts";
import { dockerfileUser } from "../ship/dockerfile-user.ts";
import { findingLines, hasErrors } from "../ship/findings.ts";
import { environmentOf } from "../target/environment.ts";

/** One part of `tenon ship --check`. */
interface Check {
  readonly name: string;
  readonly status: "ok" | "failed" | "skipped";
  readonly detail: string;
  readonly findings: readonly Finding[];
}

/** Checks everything that users need from the package in the folder. Nothing is written. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  if (!flags.has("check")) {
    throw usageError("tenon ship needs a command, or --check.", "tenon ship --help");
  }
  const skips = flags.list("skip");
  const unknown = skips.find((part) => !["registry", "bundle", "image"].includes(part));
  if (unknown !== undefined) {
    throw usageError(
      `--skip takes registry, bundle or image; got ${JSON.stringify(unknown)}.`,
      "tenon ship --check --skip bundle",
    );
  }
  const folder = shell.cwd;
  const checks: Check[] = [];
  const add = async (
    name: string,
    check: () => Promise<Omit<Check, "name">> | Omit<Check, "name">,
  ): Promise<void> => {
    printer.progress(`Checking: ${name} …`);
    try {
      checks.push({ name, ...(skips.includes(name) ? skipped(`--skip ${name}`) : await check()) });
    } catch (error) {
      shell.signal.throwIfAborted();
      const findings = isShipError(error) ? error.findings : [];
      // Further lines repeat the findings.
      const [detail = ""] = messageOf(error).split("\n", 1);
      checks.push({ name, status: "failed", detail, findings });
    }
  };
  const has = (name: string): boolean => existsSync(join(folder, name));
  if (!["package.json", "server.json", "Dockerfile"].some(has)) {
    throw usageError(
      `There is nothing to check in ${folder}: no package.json, no server.json and no Dockerfile.`,
      "run the command in the folder of the server",
    );
  }
  const isPackage = has("package.json");
  let hasProgram = flags.text("entry") !== undefined;
  let isForRegistry = has("server.json");
  await add("package", () => {
    if (!isPackage) {
      return skipped("there is no package.json: the server is in another language");
    }
    const { bin, mcpName, name, version = "without a version" } = readPackage(folder);
    hasProgram ||= Object.keys(bin).length > 0;
    isForRegistry ||= mcpName !== undefined;
    return { status: "ok", detail: `${name} ${version}`, findings: [] };
  });
  await add("registry", async () => {
    if (!isForRegistry) {
      return skipped(
        `there is no server.json${isPackage ? ", and package.json has no mcpName" : ""}: the server is not for the registry`,
      );
    }
    const { changes, exists, findings } = await planPublish({ folder, signal: invocation.signal });
    const outdated = exists ? "differs from the package" : "is missing";
    const all = changes
      ? [
          { path: "server.json", message: `${outdated}: run \`tenon ship publish --write-only\`` },
          ...findings,
        ]
      : findings;
    return { status: hasErrors(all) ? "failed" : "ok", detail: "server.json", findings: all };
  });
  await add("bundle", () =>
    !isPackage
      ? skipped("there is no package.json, so the server is not bundled")
      : hasProgram
        ? tryBundle(invocation)
        : skipped("package.json has no bin, and bundles are for programs over stdio"),
  );
  await add("image", () => checkImage(folder));
  printer.progress(undefined);
  const passed = checks.every(({ status }) => status !== "failed");
  printer.result({ passed, checks }, () =>
    checks
      .flatMap(({ name, status, detail, findings }) => {
        const style =
          status === "ok" ? printer.style.good : status === "failed" ? printer.style.bad : printer.style.dim;
        return [
          `${style(status.padEnd(8))}${name.padEnd(10)}${visibleLine(detail)}`,
          ...findingLines(printer, findings),
        ];
      })
      .join("\n"),
  );
  return passed ? exitCodes.ok : exitCodes.failed;
}

async function tryBundle({ flags, shell, signal }: Invocation): Promise<Omit<Check, "name">> {
  const scratch = mkdtempSync(join(tmpdir(), "tenon-check-"));
  try {
    const env = environmentOf(flags.list("env"), shell.env);
    const { bytes, called, warnings } = await pack({
      folder: shell.cwd,
      entry: flags.text("entry"),
      include: flags.list("include"),
      call: flags.text("call"),
      out: join(scratch, "check.mcpb"),
      env,
      args: argumentsOf(flags.list("arg")),
      signal,
    });
    const trial = called === undefined ? "started and listed" : `started, listed and called (${called})`;
    return { status: "ok", detail: `${bytes} bytes, ${trial}`, findings: warnings };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function checkImage(folder: string): Omit<Check, "name"> {
  let text: string;
  try {
    text = readFileSync(join(folder, "Dockerfile"), "utf8");
  } catch {
    return skipped("there is no Dockerfile: tenon ship image writes one");
  }
  const user = dockerfileUser(text);
  const message = "the user of the last stage must not be root: add USER 65534:65534";
  return user === undefined || /^(?:root|0+)?(?::|$)/.test(user)
    ? { status: "failed", detail: "Dockerfile", findings: [{ path: "Dockerfile", message }] }
    : { status: "ok", detail: `Dockerfile, as ${user}`, findings: [] };
}

function skipped(detail: string): Omit<Check, "name"> {
  return { status: "skipped", detail, findings: [] };
}
