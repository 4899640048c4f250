import type { Program } from "../ir/build.ts";
import type { Meter } from "../ir/meter.ts";
import { generate } from "./emit.ts";
import type { Constant } from "./emitter.ts";
import { helpers } from "./helpers.ts";

/** Compiles a program to JavaScript and loads it. Only builds whose platform allows that contain this module. */
export function codegenEngine(program: Program, meter: Meter): (value: unknown) => boolean {
  const { functions, constants, entries } = generate([program.root], {
    locate: false,
    meter: "M",
    typed: false,
  });
  const names = [...Object.keys(helpers), ...constants.keys(), "M"];
  const values = [...Object.values(helpers), ...Array.from(constants.values(), valueOf), meter];
  const source = `"use strict";${functions.join("\n")}\nreturn ${entries[0] ?? ""};`;
  // Schema text reaches the source only as JSON literals; everything else is passed in by name.
  // oxlint-disable-next-line typescript/no-implied-eval
  const load = new Function(...names, source) as (...values: unknown[]) => (value: unknown) => boolean;
  return load(...values);
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
