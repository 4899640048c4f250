import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root: string = join(dirname(fileURLToPath(import.meta.url)), "../../..");
/** The folder of the pages that VitePress builds the site from. */
export const content: string = join(root, "tools/site/content");
/** The URL of the site, without `/` at its end. */
export const origin = "https://tenon.dev";
