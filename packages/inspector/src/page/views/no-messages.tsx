import type { VNode } from "preact";

import { Empty } from "../parts/empty.tsx";
import { state, view } from "../store.ts";

/** That nothing was said yet, and how that changes. */
export function NoMessages(): VNode {
  const source = state.value?.source;
  return (
    <Empty title="Nothing was said yet.">
      {source?.kind === "live" ? (
        <>
          Every message will be a line here, as soon as the server is connected.{" "}
          <button
            type="button"
            onClick={() => {
              view.value = "try";
            }}
          >
            Call a tool
          </button>
        </>
      ) : source?.kind === "tap" ? (
        "Every message between the host and the server will be a line here. Use the host as usual."
      ) : (
        "The recording has no messages."
      )}
    </Empty>
  );
}
