import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { extractBundle, isShipError, readBundle, type Files } from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";
import { CliError, usageError } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { environmentOf } from "./environment.ts";
import type { Target } from "./target.ts";

/** The size of a bundle that is read. Its files have limits of their own. */
const maxBytes = 268_435_456;

/**
 * The server of a bundle (MCPB), which is extracted into a private folder until the command ends.
 * Settings have the values of `--env` only: a bundle could name any variable of the user.
 *
 * @throws `CliError` that names all required settings without a value.
 */
export function openBundle(
  { flags, onEnd, shell }: Invocation,
  path: string,
  label: string,
): Extract<Target, { kind: "server" }> {
  const files = filesOf(path, label);
  const given = environmentOf(flags.list("env"), shell.env);
  // Only the user can read a folder that `mkdtemp` creates.
  const folder = mkdtempSync(join(tmpdir(), "tenon-bundle-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // A second interruption ends the process.
  process.once("exit", remove);
  onEnd(() => {
    process.off("exit", remove);
    remove();
  });
  const { args, command, env, missing } = usable(label, () =>
    extractBundle(files, { folder, values: given, home: shell.home, platform: shell.platform }),
  );
  if (missing.length > 0) {
    const list = missing.map(({ name, description }) => `\n  ${name}: ${visibleLine(description)}`).join("");
    throw usageError(
      `${label} needs a value for each of these settings:${list}`,
      missing.map(({ name }) => `--env ${name.replaceAll(/\W/g, "_")}=value`).join(" "),
    );
  }
  return {
    kind: "server",
    label,
    isBundle: true,
    spec: { type: "stdio", command, args, env: { ...given, ...env }, cwd: folder },
  };
}

function filesOf(path: string, label: string): Files {
  const { size } = statSync(path);
  if (size > maxBytes) {
    throw usageError(`${label} has ${size} bytes; a bundle may have ${maxBytes}.`);
  }
  return usable(label, () => readBundle(readFileSync(path)));
}

/** Names the bundle in the errors that it causes. */
function usable<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isShipError(cause)) {
      throw cause;
    }
    throw new CliError("failed", `${label}: ${cause.message}`, {
      // Another packer would not make it smaller.
      ...(isShipError(cause, "LIMIT") ? {} : { hint: "pack it with `tenon ship pack` or `mcpb pack`" }),
      cause,
    });
  }
}
