import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

import { mediaType, readEvents } from "@tenon/http/client";
import { isBatch, isMalformed, type Incoming } from "@tenon/jsonrpc2/core";
import { createStreamDecoder } from "@tenon/jsonrpc2/stream";

import { messageOf } from "../../output/escape.ts";
import { copyOf, textOf } from "./body.ts";
import { requestIds, type Conversation, type Conversations } from "./conversations.ts";

/** Maximum length of an event that is recorded, in UTF-16 code units. */
const maxEventLength = 16 * 1024 * 1024;
const maxExcerptLength = 2000;

const decode = createStreamDecoder();

/** Records the messages of one HTTP exchange from copies of its bodies. */
export interface ExchangeRecorder {
  /**
   * Records the response. Call it before the response is read.
   *
   * @param isWanted - Whether the client still reads it.
   */
  response(response: IncomingMessage, isWanted: () => boolean): Promise<void>;
  /** Records that there is no response. */
  failed(error: unknown): Promise<void>;
}

/**
 * Records a request. Call it before the request is read.
 *
 * @param conversations - The connections to which the messages belong.
 */
export function recordExchange(request: IncomingMessage, conversations: Conversations): ExchangeRecorder {
  const { method = "GET", url = "/" } = request;
  const what = `${method} ${url.split("?", 1)[0]}`;
  // The address for messages of HTTP+SSE names the session.
  const session = headerOf(request, "mcp-session-id") ?? (conversations.has(url) ? url : undefined);
  let conversation: Conversation | undefined;
  let ids: readonly string[] = [];
  const own = (): Conversation => (conversation ??= conversations.of(session, []));

  async function recordRequest(body: Readable): Promise<void> {
    try {
      const text = await textOf(body);
      const incoming = await decode(text);
      const messages = messagesIn(incoming);
      conversation = conversations.of(session, messages);
      ids = messages.flatMap(requestIds);
      ids.forEach((id) => conversation?.inFlight.add(id));
      conversation.see("write", incoming, text);
    } catch (error) {
      own().error("write", `${what} is not recorded: ${messageOf(error)}`);
    }
  }

  async function recordEvents(body: Readable): Promise<void> {
    for await (const { event = "message", data } of readEvents(body, { maxEventLength })) {
      if (event === "message" && data !== "") {
        own().see("read", await decode(data), data);
      } else if (event === "endpoint") {
        conversations.bind(own(), data);
      }
    }
  }

  async function recordBody(body: Readable, response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0;
    const text = await textOf(body);
    // With 202 the message was accepted, whatever the body.
    if (status === 202 || (text.trim() === "" && status < 400)) {
      return;
    }
    const isJson = /[/+]json$/.test(mediaType(response.headers["content-type"]) ?? "");
    const incoming = isJson ? await decode(text) : undefined;
    if (incoming !== undefined && !(status >= 400 && isMalformed(incoming))) {
      own().see("read", incoming, text);
    } else {
      const words = `${what}: ${status} ${response.statusMessage ?? ""}`.trim();
      own().error("read", text === "" ? words : `${words}: ${text.slice(0, maxExcerptLength)}`);
    }
  }

  const requested =
    method === "POST"
      ? conversations.pending(recordRequest(copyOf(request, headerOf(request, "content-encoding"))))
      : Promise.resolve();
  const finish = (): void => ids.forEach((id) => conversation?.inFlight.delete(id));

  async function recordResponse(response: IncomingMessage, isWanted: () => boolean): Promise<void> {
    const status = response.statusCode ?? 0;
    const isStream = mediaType(response.headers["content-type"]) === "text/event-stream";
    if (method !== "POST" && method !== "DELETE" && !isStream) {
      // Documents, such as the metadata of authorization, do not belong to the conversation.
      return;
    }
    const body = copyOf(response, headerOf(response, "content-encoding"));
    try {
      // A server that does not read the whole request may respond before its end.
      await (request.complete ? requested : undefined);
      const named = headerOf(response, "mcp-session-id");
      if (named !== undefined && method === "POST" && status < 400) {
        conversations.bind(own(), named);
      }
      await (isStream ? recordEvents(body) : recordBody(body, response));
    } catch (error) {
      body.destroy();
      if (isWanted()) {
        own().error("read", `The response to ${what} is incomplete: ${messageOf(error)}`);
      }
    }
    finish();
    if (method === "DELETE" && status < 400 && session !== undefined) {
      conversations.end(session);
    }
  }

  async function recordFailure(error: unknown): Promise<void> {
    await requested;
    finish();
    own().error("read", `${what} got no response: ${messageOf(error)}`);
  }

  return {
    response: (response, isWanted) => conversations.pending(recordResponse(response, isWanted)),
    failed: (error) => conversations.pending(recordFailure(error)),
  };
}

function messagesIn(incoming: Incoming): readonly unknown[] {
  return isMalformed(incoming) ? [] : isBatch(incoming) ? incoming.batch : [incoming];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
