import type { OperandSpec } from "../command/spec.ts";

/**
 * The target of a command: a URL, a name, a module, a recording or a kept connection. A program
 * after `--` takes its place.
 */
export const target: OperandSpec = { name: "target", isAsked: true };

/** The file of a recording, for commands that accept nothing else. */
export const recording: OperandSpec = { name: "recording" };
