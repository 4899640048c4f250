import { copyFileSync, readFileSync, writeFileSync } from "node:fs";

import { isRecord } from "@tenon/base";

import type { Target } from "../target/target.ts";

/**
 * Corrects the entry of a target in its configuration file, where this is safe: `npx` gets `-y`, so
 * that it does not wait for a confirmation. The file is copied to `<file>.bak` first. Only files of
 * plain JSON are changed.
 *
 * @returns What was changed, in sentences.
 */
export function fixConfig(target: Target): readonly string[] {
  if (target.kind !== "server" || target.file === undefined || target.spec.type !== "stdio") {
    return [];
  }
  const { args = [], command } = target.spec;
  if (!/(?:^|\/)npx$/.test(command) || args.includes("-y") || args.includes("--yes")) {
    return [];
  }
  const text = readFileSync(target.file, "utf8");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const holder = ["mcpServers", "servers"]
    .map((key) => (isRecord(parsed) ? parsed[key] : undefined))
    .find(isRecord);
  const entry = holder?.[target.label];
  if (!isRecord(entry) || !Array.isArray(entry["args"])) {
    return [];
  }
  entry["args"] = ["-y", ...(entry["args"] as readonly unknown[])];
  const indent = /^[\t ]+/m.exec(text)?.[0] ?? "  ";
  copyFileSync(target.file, `${target.file}.bak`);
  writeFileSync(target.file, `${JSON.stringify(parsed, undefined, indent)}\n`);
  return [
    `${target.label}: -y was added to the arguments in ${target.file}; the old file is ${target.file}.bak.`,
  ];
}
