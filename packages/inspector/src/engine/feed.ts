import { reasonOf } from "@tenon/base";
import { hidden, isSecretHeader, redactText, redactUrl } from "@tenon/http/redact";
import { LoggingTransport, type Connection, type Transport } from "@tenon/jsonrpc2/core";
import type { CassetteEntry } from "@tenon/testing/cassette";

import type { Fact } from "./fact.ts";
import { textFor } from "./refusal.ts";

type Side = "client" | "server";

/** The part of a line of `LoggingTransport` or of a cassette that becomes facts. */
interface Line {
  readonly dir: "read" | "write" | "end";
  readonly message?: unknown;
  readonly error?: unknown;
}

/** The facts of one line: one for each message of a batch. */
function* factsOf(line: Line, side: Side, at: number, connection: number): Generator<Fact> {
  if (line.dir === "end") {
    yield { at, connection, kind: "end", title: "The connection ended." };
    return;
  }
  const to = (line.dir === "write") === (side === "client") ? "server" : "client";
  if (line.message === undefined) {
    yield { at, connection, to, kind: "problem", title: textFor(String(line.error)), outcome: "error" };
    return;
  }
  for (const message of Array.isArray(line.message) ? (line.message as unknown[]) : [line.message]) {
    yield { at, connection, to, message };
  }
}

/** The facts of a line of a cassette. */
export function factsOfEntry(entry: CassetteEntry, side: Side): Iterable<Fact> {
  return factsOf(entry, side, entry.at, entry.connection);
}

/** The functions that observers of conversations call. */
export interface FeedOwner {
  readonly now: () => number;
  /** The number of a new connection. */
  readonly nextConnection: () => number;
  /** The connection that was opened last. */
  readonly lastConnection: () => number;
  /**
   * The connection of a request to the server that has no response yet, by its ID as JSON.
   * `undefined` if there is no such request, or if several connections have one.
   */
  readonly connectionOf: (id: string) => number | undefined;
  /** Whether a request to the server has no response yet. */
  readonly isOpen: (connection: number, id: string) => boolean;
  readonly add: (fact: Fact) => void;
}

/** A transport whose conversations are also given to the log. `side` is the side that uses it. */
export function observedTransport<C extends Connection>(
  transport: Transport<C>,
  side: Side,
  hooks: FeedOwner,
): Transport<C> {
  return {
    connect(options) {
      const connection = hooks.nextConnection();
      const sink = {
        write(line: string) {
          for (const fact of factsOf(JSON.parse(line) as Line, side, hooks.now(), connection)) {
            hooks.add(fact);
          }
        },
      };
      return new LoggingTransport(transport, sink).connect(options);
    },
    get authorization() {
      return transport.authorization;
    },
  };
}

/** Bodies beyond this are not searched for the ID of their request, in characters. */
const maxBodyLength = 1_000_000;

function headersOf(headers: Headers, redact: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, isSecretHeader(name) ? hidden : redact(value)]),
  );
}

/**
 * Removes secrets from the strings of an exchange: some servers have a key in the path of their
 * URL, which headers and errors repeat.
 */
function exchangeRedactor(url: string): (text: string) => string {
  if (!URL.canParse(url)) {
    return redactText;
  }
  const { origin, pathname } = new URL(url);
  const safe = redactUrl(origin + pathname).slice(origin.length);
  return (text) => redactText(text.replaceAll(pathname, () => safe));
}

const decoder = new TextDecoder();

/** The ID of the request in a body, as JSON, if the body is one request. */
function requestIn(body: unknown): string | undefined {
  const text =
    typeof body === "string" ? body : body instanceof Uint8Array ? decoder.decode(body) : undefined;
  if (text?.startsWith("{") !== true || text.length > maxBodyLength) {
    return undefined;
  }
  try {
    const { id, method } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return method === undefined || id === undefined ? undefined : JSON.stringify(id);
  } catch {
    return undefined;
  }
}

/**
 * A `fetch` whose exchanges are also given to the log: method, URL, status and headers, without
 * credentials, and no bodies.
 */
export function observedFetch(inner: typeof fetch, hooks: FeedOwner): typeof fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const target = input instanceof Request ? input.url : input.toString();
    const redact = exchangeRedactor(target);
    const url = redact(target);
    const method = init?.method ?? request?.method ?? "GET";
    const sent = headersOf(new Headers(init?.headers ?? request?.headers), redact);
    const id = method === "POST" ? requestIn(init?.body) : undefined;
    // Before the request is sent, because other connections may use its ID later.
    const connection = id === undefined ? undefined : hooks.connectionOf(id);
    const of = connection === undefined ? undefined : id;
    const started = hooks.now();
    let hasHead = false;
    const title = `${method} ${url.slice(0, 500)}`;
    const add = (outcome: "ok" | "error" | "login", answer: object): void => {
      hooks.add({
        at: hooks.now(),
        connection: connection ?? hooks.lastConnection(),
        kind: "http",
        title,
        detail: { request: { method, url, headers: sent }, ...answer },
        outcome,
        ms: Math.round((hooks.now() - started) * 1000) / 1000,
        ...(of === undefined ? {} : { of }),
      });
    };
    if (connection !== undefined && of !== undefined) {
      // Once the head of a response has arrived, only this event shows an abort.
      const signal = init?.signal ?? request?.signal;
      signal?.addEventListener(
        "abort",
        () => hooks.isOpen(connection, of) && hasHead && add("error", { error: "aborted" }),
        {
          once: true,
        },
      );
    }
    try {
      const response = await inner(input, init);
      const { status, headers } = response;
      hasHead = true;
      const asksToLogIn = status === 401 && headers.has("www-authenticate");
      add(asksToLogIn ? "login" : status < 400 ? "ok" : "error", {
        response: { status, headers: headersOf(headers, redact) },
      });
      return response;
    } catch (error) {
      add("error", { error: redact(reasonOf(error)) });
      throw error;
    }
  };
}

/** The numbers of the connections of one server. The first number is known before it connects. */
export function connectionsOf(nextOfAll: () => number): {
  readonly last: () => number;
  readonly next: () => number;
} {
  let current = nextOfAll();
  let isUsed = false;
  return {
    last: () => current,
    next() {
      if (isUsed) {
        current = nextOfAll();
      }
      isUsed = true;
      return current;
    },
  };
}
