import { isRecord } from "@tenon/base";
import type { HeadersLike } from "@tenon/http/client";
import type { Message, Request } from "@tenon/jsonrpc2";
import { findMethod, wireFacts } from "@tenon/protocol";

import { HeaderName } from "../shared/names.ts";

/**
 * Maximum number of requests that are repeated in a new session. Methods without params that tell
 * their requests apart are not limited.
 */
const maxState = 10_000;

/** The state of a client's legacy session, which is needed to open an equal session. */
export class LegacySession {
  /** The request that opened it. */
  readonly initialize: Request;
  /** Whether the server has forgotten it. */
  lost = false;
  #id: string | undefined;
  #version: string | undefined;
  #headers: HeadersLike = {};
  #announced: readonly string[] = [];
  readonly #state = new Map<string, Request>();

  constructor(initialize: Request) {
    this.initialize = initialize;
  }

  get id(): string | undefined {
    return this.#id;
  }

  get version(): string | undefined {
    return this.#version;
  }

  /** The headers of every request of the session. */
  get headers(): HeadersLike {
    return this.#headers;
  }

  /** The notifications by which the server announces changes of its lists. */
  get announced(): readonly string[] {
    return this.#announced;
  }

  /** Stores the result of `initialize`. */
  opened(id: string | undefined, result: unknown): void {
    const version = isRecord(result) ? result["protocolVersion"] : undefined;
    const capabilities = isRecord(result) && isRecord(result["capabilities"]) ? result["capabilities"] : {};
    this.#announced = ["tools", "prompts", "resources"].flatMap((list) => {
      const own = capabilities[list];
      return isRecord(own) && own["listChanged"] === true ? [`notifications/${list}/list_changed`] : [];
    });
    this.#id = id;
    this.#version = typeof version === "string" ? version : undefined;
    this.#headers = {
      ...(id === undefined ? {} : { [HeaderName.sessionId]: id }),
      ...(this.#version !== undefined && wireFacts(this.#version).versionHeader === true
        ? { [HeaderName.protocolVersion]: this.#version }
        : {}),
    };
  }

  /** Records a message that has to be repeated in a new session. */
  note(message: Message): void {
    if (!("id" in message) || !("method" in message)) {
      return;
    }
    const { stateBy, undoes } = findMethod(message.method) ?? {};
    const params: Readonly<Record<string, unknown>> = isRecord(message.params) ? message.params : {};
    if (stateBy === undefined || stateBy.some((param) => typeof params[param] !== "string")) {
      return;
    }
    const key = (method: string): string =>
      JSON.stringify([method, ...stateBy.map((param) => params[param])]);
    if (undoes !== undefined) {
      this.#state.delete(key(undoes));
    } else if (stateBy.length === 0 || this.#state.size < maxState) {
      this.#state.set(key(message.method), message);
    }
  }

  /** The resources whose updates the server sends. */
  *watched(): Iterable<string> {
    for (const { method, params } of this.#state.values()) {
      if (method === "resources/subscribe" && isRecord(params)) {
        yield String(params["uri"]);
      }
    }
  }

  /** The requests that bring a new session to where this one was. */
  state(): Iterable<Request> {
    return this.#state.values();
  }
}
