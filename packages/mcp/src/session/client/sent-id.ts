import type { RequestId } from "@tenon/jsonrpc2";

import type { SentOptions } from "./definition.ts";

/** The id of the last message by which a request was sent. */
export interface SentId {
  id: RequestId | undefined;
}

/**
 * Remembers the ids that the caller of a request gets, so that input requests in its results can
 * name them.
 */
export function notingId(options: SentOptions): SentOptions {
  const { onId } = options;
  if (onId === undefined) {
    return options;
  }
  const sent: SentId = { id: undefined };
  return {
    ...options,
    sent,
    onId: (id) => {
      sent.id = id;
      onId(id);
    },
  };
}
