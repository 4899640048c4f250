import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Where the manifest is. */
export const data = join(dirname(fileURLToPath(import.meta.url)), "../data");
