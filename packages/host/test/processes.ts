import { fileURLToPath } from "node:url";

import { nodeLauncher, type LaunchedProcess, type ProcessLauncher } from "@tenon/transports-stdio";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A program of `fixtures/` that plain Node can run as it is. */
export const fixture = (name: "server" | "ledger" | "wrapper" | "leaving"): string =>
  here(`fixtures/${name}.mjs`);

/** Starts real processes, and remembers them. */
export function rememberingLauncher(): ProcessLauncher & { readonly children: LaunchedProcess[] } {
  const children: LaunchedProcess[] = [];
  return {
    children,
    async launch(request) {
      const child = await nodeLauncher.launch(request);
      children.push(child);
      return child;
    },
  };
}
