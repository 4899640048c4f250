import { unlessAborted, type Clock } from "@tenon/base";
import { McpError } from "@tenon/mcp";
import type { ReadResourceResult } from "@tenon/protocol";

import { isResource } from "../block.ts";
import { HostError } from "../error.ts";
import { drop, kindOf } from "../returned.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { performRead } from "../server/perform-read.ts";
import { traced } from "../server/wire.ts";
import type { ResourceCache } from "./resource-cache.ts";

/** A fetch in flight and the readers that wait for it. */
interface Flight {
  readonly server: string;
  readonly uri: string;
  readonly result: Promise<ReadResourceResult>;
  readonly controller: AbortController;
  readers: number;
}

/**
 * Reads resources: from the cache if the entry is fresh, otherwise from the server. Simultaneous
 * reads of the same resource for the same principal share one request. A resource that is
 * invalidated while its request is in flight is not cached, and later reads start a new request.
 *
 * @source S-259
 */
export class ResourceReader {
  /** Absent if nothing is kept. */
  readonly cache: ResourceCache | undefined;
  readonly #clock: Clock;
  readonly #principal: (() => string) | undefined;
  readonly #flights = new Map<string, Flight>();

  constructor(cache: ResourceCache | undefined, clock: Clock, principal: (() => string) | undefined) {
    this.cache = cache;
    this.#clock = clock;
    this.#principal = principal;
  }

  /**
   * Reads a resource.
   *
   * @param signal - Ends the wait; the request continues if other callers wait for it.
   * @throws `HostError`, `INVALID_OPTION` for a principal that is not a string; `signal.reason`;
   *   the error that the principal callback throws.
   */
  async read(
    server: ManagedServer,
    uri: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadResourceResult> {
    const principal = this.#principalOf(server);
    const kept = this.cache?.get(server.name, uri, { principal });
    if (kept !== undefined) {
      return kept;
    }
    signal?.throwIfAborted();
    const key = JSON.stringify([server.name, uri, principal]);
    const flight = this.#flights.get(key) ?? this.#start(key, server, uri, principal);
    flight.readers++;
    try {
      return await unlessAborted(flight.result, signal);
    } finally {
      flight.readers--;
      if (flight.readers === 0) {
        // Only a fetch without waiting readers is still in flight here.
        this.#drop(key, flight);
        flight.controller.abort(signal?.reason);
      }
    }
  }

  /** Forgets a resource, or, without a URI, all of the server. */
  forget(server: string, uri?: string): void {
    for (const [key, flight] of this.#flights) {
      if (flight.server === server && (uri === undefined || flight.uri === uri)) {
        this.#flights.delete(key);
      }
    }
    if (uri === undefined) {
      this.cache?.deleteServer(server);
    } else {
      this.cache?.delete(server, uri);
    }
  }

  /**
   * The principal of the caller. A value that is not a string would make all callers equal: a
   * promise is encoded like an empty object.
   */
  #principalOf({ name: server, authorization }: ManagedServer): string | undefined {
    if (this.#principal === undefined) {
      return authorization?.authorizationContext;
    }
    const principal: unknown = this.#principal();
    if (typeof principal !== "string") {
      drop(principal);
      const message = `The option principal must return a string, not a promise; got ${kindOf(principal)}.`;
      throw new HostError("INVALID_OPTION", message, { server, phase: "read" });
    }
    return principal;
  }

  #start(key: string, server: ManagedServer, uri: string, principal: string | undefined): Flight {
    const controller = new AbortController();
    const result = fetchResource(server, this.#clock, uri, controller.signal);
    const flight: Flight = { server: server.name, uri, result, controller, readers: 0 };
    this.#flights.set(key, flight);
    result.then(
      (value) => {
        if (this.#drop(key, flight)) {
          this.cache?.set(server.name, uri, value, { principal });
        }
      },
      () => this.#drop(key, flight),
    );
    return flight;
  }

  /** Removes a request in flight. Returns whether it was still known. */
  #drop(key: string, flight: Flight): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }
}

function fetchResource(
  server: ManagedServer,
  clock: Clock,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  return performRead(
    server,
    clock,
    async (session, trace, options) =>
      checked(await session.request("resources/read", traced({ uri }, trace), options)),
    signal,
  );
}

/** The response of a server, which is not validated yet. @throws `McpError` `INVALID_RESULT`. */
function checked(result: ReadResourceResult): ReadResourceResult {
  const contents: unknown = result.contents;
  if (!Array.isArray(contents) || !contents.every(isResource)) {
    const message =
      "Invalid resources/read result: contents must be an array of objects with a uri and text or blob.";
    throw new McpError("INVALID_RESULT", message);
  }
  return result;
}
