import type { Exchange, HeaderFields } from "@tenon/http/server";

import type { AnswerSettings } from "./answer.ts";
import type { RequestInfo } from "./request-info.ts";
import type { ServerLike } from "./server-like.ts";

/** One message without a session that is passed to the server. */
export interface StatelessCall {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly headers: HeaderFields;
  readonly server: ServerLike;
  readonly settings: AnswerSettings;
}
