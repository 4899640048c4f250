import type { ServerState, SourceState } from "../../wire/state.ts";

/** The words for the states of a connection. */
export const phases: Readonly<Record<SourceState["phase"], string>> = {
  connecting: "connecting",
  open: "connected",
  closed: "disconnected",
  failed: "failed",
  watching: "watching",
};

/** The name of a server as it calls itself; before that, its command or its URL. */
export function nameOf({ source }: Pick<ServerState, "source">): string {
  const info = source.serverInfo as { readonly name?: unknown } | undefined;
  return typeof info?.name === "string" ? info.name : source.label;
}
