import type { ServerState, SourceState } from "../../wire/state.ts";

/** The words for the states of a connection. */
const phases: Readonly<Record<SourceState["phase"], string>> = {
  connecting: "connecting",
  open: "connected",
  closed: "disconnected",
  failed: "failed",
  watching: "watching",
};

/** Whether a connection has ended by itself. */
export function isLost({ phase, reason }: Pick<SourceState, "phase" | "reason">): boolean {
  return phase === "closed" && reason !== undefined;
}

/** The words and the style of a connection. A server that requires a login has not failed. */
export function stateOf({ phase, login, reason }: Pick<SourceState, "phase" | "login" | "reason">): {
  readonly words: string;
  readonly style: string;
} {
  if (login === undefined && isLost({ phase, reason })) {
    return { words: "connection lost", style: "failed" };
  }
  if (login === undefined || (phase === "open" && login.isLoggedOut !== true)) {
    return { words: phases[phase], style: phase };
  }
  return { words: login.phase === "running" ? "logging in" : "login required", style: "connecting" };
}

/** The name of a server as it calls itself; before that, its command or its URL. */
export function nameOf({ source }: Pick<ServerState, "source">): string {
  const info = source.serverInfo as { readonly name?: unknown } | undefined;
  return typeof info?.name === "string" ? info.name : source.label;
}
