import { redactText } from "@tenon/http/redact";
import { isBatch, isMalformed, type Incoming, type Malformed } from "@tenon/jsonrpc2/core";
import type { ConnectionRecorder } from "@tenon/testing/cassette";

import { visibleLine } from "../output/escape.ts";

/** Text that is not a message is recorded up to this length, in UTF-16 code units. */
const maxTextLength = 65_536;
const maxNotedLength = 200;

/** Sees each message that passes through a tap, in order. */
export interface Observer {
  /**
   * Records a message, or input that is not a message.
   *
   * @param text - The input itself, if it is known.
   */
  see(dir: "read" | "write", incoming: Incoming, text?: string): void;
}

/**
 * Creates the observer of one connection. The first input of each side that is not a message is
 * named to the user as well.
 *
 * @param note - Prints a sentence on standard error.
 */
export function createObserver(connection: ConnectionRecorder, note: (message: string) => void): Observer {
  const named = new Set<string>();

  function seeMalformed(dir: "read" | "write", { malformed }: Malformed, text: string | undefined): void {
    const { message } = malformed;
    connection.error(dir, text === undefined ? message : `${message}: ${text.slice(0, maxTextLength)}`);
    if (!named.has(dir)) {
      named.add(dir);
      const from = dir === "read" ? "server" : "host";
      const shown =
        text === undefined ? "" : `: ${JSON.stringify(redactText(text.slice(0, maxNotedLength)))}`;
      note(visibleLine(`tap: the ${from} sent input that is not a JSON-RPC message${shown}`));
    }
  }

  return {
    see(dir, incoming, text) {
      if (isMalformed(incoming)) {
        seeMalformed(dir, incoming, text);
        return;
      }
      if (!isBatch(incoming)) {
        connection.message(dir, incoming);
        return;
      }
      const messages = incoming.batch.filter((each) => !isMalformed(each));
      if (messages.length > 0) {
        connection.message(dir, messages);
      }
      for (const each of incoming.batch.filter((item) => isMalformed(item))) {
        seeMalformed(dir, each, text);
      }
    },
  };
}
