import type { Program } from "../build/build.ts";
import type { Meter } from "../ir/meter.ts";
import { generate, type Generated } from "./emit.ts";
import type { Constant } from "./emitter.ts";
import { helpers } from "./helpers.ts";

/**
 * Compiles a program to JavaScript and loads it. Only builds whose platform allows that contain
 * this module.
 */
export function codegenEngine(program: Program, meter: Meter): (value: unknown) => boolean {
  return load(generate([program.root], loaded), meter) as (value: unknown) => boolean;
}

/** Options of code that is generated and loaded at once. */
export const loaded = { locate: false, meter: "M", typed: false } as const;

/** Loads generated code: its first entry. */
export function load({ functions, constants, entries }: Generated, meter: Meter): unknown {
  const names = [...Object.keys(helpers), ...constants.keys(), "M"];
  const values = [...Object.values(helpers), ...Array.from(constants.values(), valueOf), meter];
  const source = `"use strict";${functions.join("\n")}\nreturn ${entries[0] ?? ""};`;
  // Schema text reaches the source only as JSON literals; everything else is passed in by name.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(...names, source) as (...values: unknown[]) => unknown;
  return run(...values);
}

function valueOf(constant: Constant): unknown {
  switch (constant.kind) {
    case "pattern":
      return constant.pattern.regex ?? constant.pattern;
    case "set":
      return new Set(constant.values);
    case "format":
      return constant.test;
    default:
      return constant.value;
  }
}
