import type { HeadersLike, RequestSignal, WireResponse } from "@tenon/http/client";
import type { Message, Request } from "@tenon/jsonrpc2";

/** A request in flight. */
export interface SentRequest {
  readonly request: Request;
  readonly signal: RequestSignal;
  /** Whether the request is stateless (modern): its exchange carries only its own response. */
  readonly modern: boolean;
}

/** The way in which a request is sent, and the handling of its response. */
export interface Sending {
  readonly headers: HeadersLike;
  /**
   * The headers for coming back for a lost stream; `undefined` where that is not possible (modern
   * era).
   */
  resumption(): HeadersLike | undefined;
  /**
   * Checks whether the session has expired, after an error response that may mean it; `undefined`
   * without a session.
   */
  readonly isGone?: (() => Promise<boolean>) | undefined;
  /** Called with the headers of the response before its body is received. */
  onResponse?(response: WireResponse): void;
  /** Inspects the response before it is received, and may replace it. */
  onAnswer?(answer: Message): Message;
  /** Called with a request of the server that belongs to this request, before it is received. */
  onQuestion?(question: Request, request: Request): void;
  /** Returns true to drop the response, because the request will be sent again. */
  hold?(answer: Message): boolean;
}
