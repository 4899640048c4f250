/** Requests that change nothing: they are sent again to a new session, and when a reused connection turns out to be closed. */
const repeatable: ReadonlySet<string> = new Set([
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
]);

/** Whether a request may be sent twice without harm. */
export function isRepeatable(method: string): boolean {
  return repeatable.has(method);
}
