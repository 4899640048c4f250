import { useEffect, useState } from "preact/hooks";

import { readWhole } from "../api.ts";

/** Longer messages are not rendered, in characters. */
const maxLength = 8_000_000;

/** The message of a line, once it is loaded. */
export type LoadedMessage =
  | { readonly kind: "loading" }
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "text"; readonly reason: string };

/** Loads the message of a line. */
export function useMessage(seq: number | undefined): LoadedMessage {
  const [loaded, setLoaded] = useState<{ readonly seq: number; readonly found: LoadedMessage }>();
  useEffect(() => {
    let isCurrent = true;
    const set = (found: LoadedMessage): void => {
      if (isCurrent && seq !== undefined) {
        setLoaded({ seq, found });
      }
    };
    if (seq !== undefined) {
      readWhole(seq, maxLength).then(
        (text) =>
          set(
            text === undefined
              ? {
                  kind: "text",
                  reason: "The result has more than 8 million characters, so its JSON is shown in parts.",
                }
              : { kind: "message", message: JSON.parse(text) as unknown },
          ),
        (error: unknown) => set({ kind: "text", reason: (error as Error).message }),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [seq]);
  return loaded !== undefined && loaded.seq === seq ? loaded.found : { kind: "loading" };
}
