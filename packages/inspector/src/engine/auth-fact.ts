import { isRecord } from "@tenon/base";

import type { NoteFact } from "./fact.ts";
import { textFor } from "./refusal.ts";

/** The states of a login in words. */
const states: Readonly<Record<string, string>> = {
  anonymous: "not logged in",
  "needs-user": "required",
  authorizing: "running",
  authorized: "done",
  refused: "refused",
};

/** The fact of an event of `@tenon/auth/client`, without the URL that the person visits. */
export function authFact(event: { readonly type: string }): Omit<NoteFact, "at"> {
  const { type } = event;
  const { status, message } = event as { readonly status?: unknown; readonly message?: unknown };
  if (type === "status" && isRecord(status)) {
    const { state, error, scopes } = status;
    const hasFailed = state === "refused" || error !== undefined;
    const reason = error instanceof Error ? textFor(error.message) : undefined;
    const granted = state === "authorized" && Array.isArray(scopes) ? `, scopes ${scopes.join(" ")}` : "";
    const word = hasFailed
      ? `failed. ${reason ?? ""}`
      : `${states[String(state)] ?? String(state)}${granted}`;
    return {
      connection: 0,
      kind: "auth",
      title: `Login: ${word}`.slice(0, 500),
      detail: { ...status, ...(reason === undefined ? {} : { error: reason }) },
      outcome: hasFailed ? "error" : state === "needs-user" ? "login" : "ok",
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
