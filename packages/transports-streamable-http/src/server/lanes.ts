import { Lane } from "./lane.ts";
import type { ServerLike, SessionLike } from "./server-like.ts";

/** Below the number of requests that a session handles at a time by default, so that no lane ever waits for one of its own. */
const maxLoad = 128;
/** How many unused lanes are kept. A server that was made for one request is let go soon; one that serves all is always in use. */
const maxIdle = 16;

/** Tells a new lane of a kind what comes before its requests. */
export type Preface = (lane: Lane, kind: string) => void;

interface OpenLane {
  readonly lane: Lane;
  readonly session: Promise<SessionLike | undefined>;
}

/** The lanes of all servers that a handler has met. */
export class Lanes {
  readonly #onError: (error: unknown) => void;
  readonly #isolated: boolean;
  readonly #byServer = new WeakMap<ServerLike, Map<string, Set<OpenLane>>>();
  /** Every open lane; those used last come last. */
  readonly #open = new Set<OpenLane>();

  /** @param isolated - No two requests share a lane. */
  constructor(isolated: boolean, onError: (error: unknown) => void) {
    this.#isolated = isolated;
    this.#onError = onError;
  }

  /**
   * A lane of a server with room for one more request.
   *
   * @param kind - Lanes of different kinds are never mixed.
   * @param preface - Called with a new lane.
   */
  pick(server: ServerLike, kind: string, preface?: Preface): Lane {
    if (this.#isolated) {
      return this.single(server, kind, preface);
    }
    const lanes = this.#of(server, kind);
    for (const open of lanes) {
      if (!open.lane.closed && open.lane.load < maxLoad) {
        return open.lane;
      }
    }
    this.#closeIdle();
    const open = this.#start(server, lanes, false);
    preface?.(open.lane, kind);
    return open.lane;
  }

  /** How many requests are under way. */
  get load(): number {
    let load = 0;
    for (const { lane } of this.#open) {
      load += lane.load;
    }
    return load;
  }

  /** A lane that nobody else uses: it ends with its request. */
  single(server: ServerLike, kind: string, preface?: Preface): Lane {
    const { lane } = this.#start(server, new Set(), true);
    preface?.(lane, kind);
    return lane;
  }

  /** Ends all lanes: their requests have `drainMs` to be answered. */
  async close(drainMs: number | undefined): Promise<void> {
    await Promise.all(
      [...this.#open].map(async (open) => {
        const session = await open.session;
        await (session === undefined ? open.lane.close() : session.close({ drainMs }));
      }),
    );
  }

  #of(server: ServerLike, kind: string): Set<OpenLane> {
    let kinds = this.#byServer.get(server);
    if (kinds === undefined) {
      kinds = new Map();
      this.#byServer.set(server, kinds);
    }
    let lanes = kinds.get(kind);
    if (lanes === undefined) {
      lanes = new Set();
      kinds.set(kind, lanes);
    }
    return lanes;
  }

  #start(server: ServerLike, lanes: Set<OpenLane>, once: boolean): OpenLane {
    const lane: Lane = new Lane(
      () => {
        lanes.delete(open);
        this.#open.delete(open);
      },
      this.#onError,
      once,
    );
    const session = connect(server, lane).catch((error: unknown) => {
      this.#onError(error);
      lane.end("Internal error");
      return undefined;
    });
    const open: OpenLane = { lane, session };
    lanes.add(open);
    this.#open.add(open);
    return open;
  }

  #closeIdle(): void {
    const idle = [...this.#open].filter(({ lane }) => lane.load === 0);
    for (const { session } of idle.slice(0, Math.max(0, idle.length - maxIdle + 1))) {
      void session.then((ended) => ended?.close({ drainMs: 0 })).catch(this.#onError);
    }
  }
}

async function connect(server: ServerLike, lane: Lane): Promise<SessionLike> {
  return server.connect({ connect: () => Promise.resolve(lane) });
}

/** Opens a lane of the legacy era with a handshake that no client sees. @param protocolVersion - The kind of the lane. */
export function shakeHands(lane: Lane, protocolVersion: string): void {
  lane.dispatch(
    { deliver: () => undefined, finish: () => {} },
    {
      method: "initialize",
      params: {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "sessionless-client", version: "0" },
      },
    },
  );
  lane.inform({ method: "notifications/initialized" });
}
