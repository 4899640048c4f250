import type { Environment } from "../compile.ts";

/** The parts that are always there, and nothing else. */
export const parts: Omit<Environment, "errors" | "extras"> = {
  formats: {},
  documents: () => undefined,
  dialect: undefined,
  engine: undefined,
  shortcut: undefined,
  linear: undefined,
};
