import { isRecord } from "@tenon/base";
import { isNotification, type Message, type RequestId } from "@tenon/jsonrpc2/core";

import type { Session } from "../session.ts";
import type { Addresses } from "./addresses.ts";
import type { Nodes } from "./nodes.ts";

/** The process that a message belongs to; `""` if it may be any other. */
export function nodeOf(message: Message, session: Session, addresses: Addresses): string | undefined {
  if (isNotification(message) && message.method === "notifications/cancelled" && isRecord(message.params)) {
    return session.has(message.params["requestId"] as RequestId) ? undefined : "";
  }
  return addresses.nodeOf(message);
}

/** Passes a message to another process. @returns Whether that process has taken it. */
export async function passTo(
  node: string,
  session: string,
  message: Message,
  nodes: Nodes,
  onError: (error: unknown) => void,
): Promise<boolean> {
  if (node === "") {
    nodes.tell("cancelled", session, message);
    return true;
  }
  try {
    return await nodes.ask(node, { kind: "take", session, messages: [message] });
  } catch (error) {
    onError(error);
    return false;
  }
}
