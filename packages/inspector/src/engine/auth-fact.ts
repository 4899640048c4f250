import { isRecord } from "@tenon/base";

import type { NoteFact } from "./fact.ts";
import { textFor } from "./refusal.ts";

/** The fact of an event of `@tenon/auth/client`, without the URL that the person visits. */
export function authFact(event: { readonly type: string }): Omit<NoteFact, "at"> {
  const { type } = event;
  const { status, message } = event as { readonly status?: unknown; readonly message?: unknown };
  if (type === "status" && isRecord(status)) {
    const { state, error } = status;
    const refused = state === "refused" || error !== undefined;
    const reason = error instanceof Error ? textFor(error.message) : undefined;
    return {
      connection: 0,
      kind: "auth",
      title: `Login: ${String(state)}`,
      detail: { ...status, ...(reason === undefined ? {} : { error: reason }) },
      outcome: refused ? "error" : "ok",
    };
  }
  if (type === "warning") {
    return { connection: 0, kind: "auth", title: textFor(String(message)), outcome: "error" };
  }
  return {
    connection: 0,
    kind: "auth",
    title: type === "visit" ? "Login: waiting for the person to visit a page" : `Event ${type}`,
  };
}
