import { formats as all } from "./format/index.ts";
import type { FormatCheck } from "./options.ts";

/** Every format of JSON Schema validation 2020-12 §7.3 by name, to call directly or to give to the core build as `customFormats`. */
export const formats: Readonly<Record<string, FormatCheck>> = all;
