import type { HeaderFields } from "@tenon/http/server";
import {
  ErrorCode,
  encode,
  isRequest,
  type Batch,
  type Caller,
  type Handling,
  type Request,
  type Response,
} from "@tenon/jsonrpc2/core";
import { wireFacts } from "@tenon/protocol";

import type { StatelessCall } from "./call.ts";
import { checkRevision } from "./check-revision.ts";
import type { Guest, InFlight } from "./in-flight.ts";
import { isOpening } from "./incoming.ts";
import { refusal, refuse } from "./refusal.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * Serves a batch without a session in the protocol version that has batches, except where rules of
 * access decide about each request: then a session is needed. The responses are sent together.
 *
 * @source R-395
 */
export function serveBatch({ batch }: Batch, call: StatelessCall): void {
  const { exchange, headers, info, server, settings, facts } = call;
  const requests = batch.filter((message) => isRequest(message));
  const hasOthers = batch.some((message) => !("method" in message));
  if (wireFacts(facts.version).batches !== true || settings.authorize !== undefined) {
    refuse(exchange, checkRevision(facts.version) ?? invalid("batches need a session"), headers);
  } else if (hasOthers || requests.some((request) => isOpening(request))) {
    refuse(exchange, invalid("the batch contains initialize, a response or no message"), headers);
  } else if (requests.length === 0) {
    exchange.respond(202, headers);
  } else {
    const answers = new Answers(call, requests.length);
    for (const request of requests) {
      const refused = settings.inFlight.refusal(info);
      if (refused === undefined) {
        const entry = new Entry(request, info, settings.inFlight, answers);
        entry.start(() => server.handle(request, entry, facts));
      } else {
        answers.add({ jsonrpc: "2.0", id: request.id, error: refused.error });
      }
    }
    exchange.onDisconnect(() => answers.cancel());
  }
}

const invalid = (text: string) => refusal(400, `Invalid Request: ${text}`);

/** The responses of one batch. */
class Answers {
  readonly entries: Entry[] = [];
  readonly #call: StatelessCall;
  readonly #headers: HeaderFields;
  readonly #texts: string[] = [];
  #missing: number;

  constructor(call: StatelessCall, count: number) {
    this.#call = call;
    this.#headers = call.headers;
    this.#missing = count;
  }

  add(response: Response): void {
    // The text is made first, because a response that is not JSON is replaced.
    this.#texts.push(encode(response));
    this.#missing--;
    if (this.#missing === 0) {
      this.#call.exchange.respond(200, this.#headers, `[${this.#texts.join(",")}]`);
    }
  }

  cancel(): void {
    for (const { handling } of this.entries) {
      handling?.cancel(new DOMException("Connection closed by the client.", "AbortError"));
    }
  }
}

/** One request of a batch. Nothing can be sent before its response. */
class Entry implements Guest, Caller {
  place = -1;
  isCounted = false;
  handling: Handling | undefined;
  readonly extra: RequestInfo;
  readonly #request: Request;
  readonly #inFlight: InFlight;
  readonly #answers: Answers;
  #isDone = false;

  constructor(request: Request, extra: RequestInfo, inFlight: InFlight, answers: Answers) {
    this.extra = extra;
    this.#request = request;
    this.#inFlight = inFlight;
    this.#answers = answers;
    answers.entries.push(this);
    inFlight.add(this);
  }

  notify(): undefined {}

  start(handle: () => Handling): void {
    try {
      this.handling = handle();
    } catch {
      this.#fail("Internal error");
      this.ended();
    }
  }

  answer(response: Response): void {
    if (!this.#isDone) {
      this.#answers.add(response);
      this.#isDone = true;
    }
  }

  beat(): void {}

  revoke(): void {
    this.#fail("Sender is no longer authorized");
    this.handling?.cancel(new DOMException("Sender is no longer authorized.", "AbortError"));
  }

  #fail(message: string): void {
    this.answer({ jsonrpc: "2.0", id: this.#request.id, error: { code: ErrorCode.InternalError, message } });
  }

  ended(): void {
    this.#inFlight.delete(this);
  }
}
