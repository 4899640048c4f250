import { fileURLToPath } from "node:url";

/** The built command line. */
export const cli = fileURLToPath(new URL("../../../../../packages/cli/dist/bin.js", import.meta.url));
