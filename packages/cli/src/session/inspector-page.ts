import type { StartedInspector, StartInspectorOptions } from "@tenon/inspector/node";

import type { Invocation } from "../command/invocation.ts";

/** Starts the inspector page. @param portFlag - The option that has its port. */
export async function startPage(
  { flags }: Invocation,
  options: Omit<StartInspectorOptions, "port">,
  portFlag = "port",
): Promise<StartedInspector> {
  const { startInspector } = await import("@tenon/inspector/node");
  return startInspector({ ...options, port: flags.integer(portFlag) ?? 0 });
}

/** Shows the messages of others in the page, which listens at the port of `--page-port`. */
export async function showTapPage(invocation: Invocation, label: string): Promise<StartedInspector> {
  const page = await startPage(invocation, { source: { kind: "tap", label } }, "page-port");
  // Standard output may belong to a host.
  invocation.printer.note(`inspector: ${page.url.href} shows the messages. The link works once.`);
  await openPage(invocation, page);
  return page;
}

/** Opens the page in the browser of the user, if there is one. */
export async function openPage({ printer }: Invocation, page: StartedInspector): Promise<void> {
  const { openBrowser } = await import("@tenon/auth/node");
  await openBrowser(page.url.href).catch(() =>
    printer.note("No browser could be opened: open the link yourself."),
  );
}
