import { changeNotifications } from "@tenon/protocol";

/**
 * A change of a server feature, as plain JSON that can be forwarded to other instances.
 *
 * @source R-541
 */
export interface ServerChange {
  /**
   * The notification that clients get: `notifications/tools/list_changed`, `…/prompts/…`,
   * `…/resources/…`, or `notifications/resources/updated`.
   */
  readonly method: string;
  /** Which resource, for `notifications/resources/updated`. */
  readonly uri?: string | undefined;
  /** The server that it happened on: that server passes over it when it comes back. */
  readonly origin: string;
}

/**
 * A change that is announced. Without a method, everything may have changed: every list, and every
 * resource that a client has subscribed to.
 */
export type AnnouncedChange = Omit<ServerChange, "method"> & { readonly method?: string | undefined };

/**
 * Whether a value is a change. A message from a bus may come from another version, or be any other
 * value.
 */
export function isServerChange(value: unknown): value is AnnouncedChange {
  const { method, origin, uri } = Object(value) as Partial<Record<string, unknown>>;
  if (typeof origin !== "string" || (method !== undefined && typeof method !== "string")) {
    return false;
  }
  const change = method === undefined ? "list" : changeNotifications().get(method)?.change;
  return change === "list" || (change === "resource" && typeof uri === "string");
}
