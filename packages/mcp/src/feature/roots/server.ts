import type { Root } from "@tenon/protocol";

import { stateKey } from "../../base/state.ts";
import type { ServerFeature } from "../../request/server/feature.ts";
import type { InnerServerSession, ServerSession } from "../../request/server/session.ts";

/** The roots of a session, until its client notifies a change. */
const known = stateKey<{ roots: Promise<readonly Root[]> | undefined }>(() => ({ roots: undefined }));

/**
 * The roots of a legacy session, requested once and again after every change. If the client does
 * not notify changes, they are requested every time.
 *
 * @source S-118
 */
export async function* sessionRoots(session: InnerServerSession): AsyncGenerator<Root, void, undefined> {
  const state = session.state.get(known);
  const asked = state.roots ?? session.listRoots();
  if (session.clientCapabilities?.roots?.listChanged === true) {
    state.roots = asked;
    asked.catch(() => {
      state.roots = undefined;
    });
  }
  yield* await asked;
}

/** Handles `notifications/roots/list_changed`. @source S-116 */
export function rootsFeature(onChanged: ((session: ServerSession) => void) | undefined): ServerFeature {
  return {
    notifications: {
      "notifications/roots/list_changed": (_params, { session }) => {
        const state = session?.state.peek(known);
        if (state !== undefined) {
          state.roots = undefined;
        }
        return session && onChanged?.(session);
      },
    },
  };
}
