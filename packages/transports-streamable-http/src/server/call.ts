import type { Exchange, HeaderFields, Visit } from "@tenon/http/server";
import type { AuthInfo, RequestFacts } from "@tenon/protocol";

import { HeaderName } from "../shared/names.ts";
import type { AnswerSettings } from "./answer.ts";
import { RequestInfo } from "./request-info.ts";
import type { ServerLike } from "./server-like.ts";

/** One HTTP request that is served. */
export interface Call {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  /** The headers that every response to it has. */
  readonly headers: HeaderFields;
  /** `MCP-Protocol-Version`, as it was received. */
  readonly version: string | undefined;
}

/** One message without a session that is passed to the server. */
export interface StatelessCall extends Call {
  readonly facts: RequestFacts;
  readonly server: ServerLike;
  readonly settings: AnswerSettings;
}

/** The call of a request that may come in. */
export function callOf({ exchange, auth, headers }: Visit<AuthInfo>): Call {
  const version = exchange.header(HeaderName.protocolVersion);
  return { exchange, info: new RequestInfo(exchange, auth), headers, version };
}
