import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { StartedInspector, StartInspectorOptions } from "@tenon/inspector/node";

import type { Invocation } from "../command/invocation.ts";

/** Starts the inspector page. @param portFlag - The option that has its port. */
export async function startPage(
  { flags }: Invocation,
  options: Omit<StartInspectorOptions, "port">,
  portFlag = "port",
): Promise<StartedInspector> {
  const { startInspector } = await import("@tenon/inspector/node");
  return startInspector({ ...options, port: flags.integer(portFlag, 0, 65_535) ?? 0 });
}

/** Shows the messages of others in the page, which listens at the port of `--page-port`. */
export async function showTapPage(invocation: Invocation, label: string): Promise<StartedInspector> {
  const page = await startPage(invocation, { source: { kind: "tap", label } }, "page-port");
  // Standard output may belong to a host.
  invocation.printer.note(`inspector: ${page.url.href} shows the messages. The link works once.`);
  return openPage(invocation, page);
}

/**
 * Opens the page in the browser of the user, if there is one. Other users of the machine, who can
 * read command lines, do not see the link. Returns the page, whose end removes the file for it.
 */
export async function openPage({ printer }: Invocation, page: StartedInspector): Promise<StartedInspector> {
  const { openBrowserByFile } = await import("@tenon/auth/node");
  let folder: string | undefined;
  const close = async (): Promise<void> => {
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true });
    }
    await page.close();
  };
  try {
    folder = await mkdtemp(join(tmpdir(), "tenon-inspector-"));
    await openBrowserByFile(page.url, join(folder, "open.html"));
  } catch {
    printer.note("No browser could be opened: open the link yourself.");
  }
  return { ...page, close, [Symbol.asyncDispose]: close };
}
