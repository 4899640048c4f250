import { statusError, type HeadersLike, type WireResponse } from "@tenon/http/client";
import type { Message, Request } from "@tenon/jsonrpc2";
import { McpErrorCode } from "@tenon/protocol";

import type { ClientContext } from "./context.ts";
import { modernHeaders } from "./request-headers.ts";
import type { Sending } from "./sending.ts";

/** Sends a modern request. @throws If no response arrives, as soon as that is known. */
export function askModern(context: ClientContext, request: Request, version: string): Promise<void> {
  const sending = new ModernSending(context, request, version, request.method === "tools/call");
  return context.calls.run(request, true, sending).then((refused) => {
    if (refused !== undefined) {
      return refuse(context, refused);
    }
    return sending.held ? askAgain(context, request, version) : undefined;
  });
}

/**
 * Sends a request again. The header definitions of the server may be newer than the local copy, so
 * they are fetched before the error reaches the caller.
 *
 * @source R-327
 */
async function askAgain(context: ClientContext, request: Request, version: string): Promise<void> {
  const refused = await context.calls.hold(request, async (cancelled) => {
    await context.own.run(async (signal) => {
      const { refreshTools } = await import("./refresh-tools.lazy.ts");
      await refreshTools(context, request, version, context.tools, signal);
    });
    cancelled.throwIfAborted();
    const sending = new ModernSending(context, request, version, false);
    return context.calls.run(request, true, sending, cancelled);
  });
  if (refused !== undefined) {
    await refuse(context, refused);
  }
}

async function refuse({ url }: ClientContext, refused: WireResponse): Promise<never> {
  throw await statusError(refused, url);
}

class ModernSending implements Sending {
  readonly headers: HeadersLike;
  /**
   * Whether an error about stale headers was withheld from the caller, because the request is sent
   * again.
   */
  held = false;
  readonly #context: ClientContext;
  readonly #isList: boolean;
  readonly #mayHold: boolean;

  constructor(context: ClientContext, request: Request, version: string, mayHold: boolean) {
    this.headers = modernHeaders(request, version, context.tools);
    this.#context = context;
    this.#isList = request.method === "tools/list";
    this.#mayHold = mayHold;
  }

  resumption(): undefined {}

  onAnswer(answer: Message): Message {
    return this.#isList && "result" in answer
      ? { ...answer, result: this.#context.tools.note(answer.result, true) }
      : answer;
  }

  hold(answer: Message): boolean {
    this.held = this.#mayHold && "error" in answer && answer.error.code === McpErrorCode.HeaderMismatch;
    return this.held;
  }
}
