import type { Unit } from "./units.mjs";

export function undeclaredReads(root: string, file: string, units: readonly Unit[]): readonly string[];
