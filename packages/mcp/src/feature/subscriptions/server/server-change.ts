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

/** A change that is announced. `uri` is `null` if any resource may have changed. */
export type AnnouncedChange = Omit<ServerChange, "uri"> & { readonly uri?: string | null | undefined };

const lists: ReadonlySet<unknown> = new Set([
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);

/**
 * Whether a value is a change. A message from a bus may come from another version, or be any other
 * value.
 */
export function isServerChange(value: unknown): value is AnnouncedChange {
  const { method, origin, uri } = Object(value) as Partial<Record<string, unknown>>;
  return (
    typeof origin === "string" &&
    (lists.has(method) ||
      (method === "notifications/resources/updated" && (uri === null || typeof uri === "string")))
  );
}
