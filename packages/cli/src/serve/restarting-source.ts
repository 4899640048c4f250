import { createHash } from "node:crypto";

import { anySignal, isRecord } from "@tenon/base";
import type { ConnectedSource, ListListener, ProxySource, SourceFeature } from "@tenon/compose";
import type { LaneCaller } from "@tenon/host";
import type { ServerRequest } from "@tenon/mcp/server";

import { aborted } from "./front.ts";

/** A server that is started again while its clients stay connected. */
export interface RestartingSource {
  /** Requests go to the newest version of the server, and rounds to the version that asked. */
  readonly source: ProxySource;
  /** The newest version. */
  readonly current: ConnectedSource;
  /**
   * Sets the version that has started. Watches continue with it.
   *
   * @returns Resolves when the version before has no request in flight any more, and has the
   *   response to every input that it required.
   */
  replace(next: ConnectedSource): Promise<void>;
  /** Forgets the rounds of a version that was closed. */
  forget(version: ConnectedSource): void;
}

/** One version of the server, and its use. */
interface Version {
  readonly source: ConnectedSource;
  /** Requests in flight. */
  requests: number;
  /** Rounds that wait for input. */
  rounds: number;
  /** Called when nothing is in flight any more. */
  onIdle: () => void;
}

/** A round of a modern client. */
interface Round {
  readonly version: Version;
  isOpen: boolean;
}

/** Rounds that are remembered. The next round of an older round goes to the newest version. */
const maxRounds = 1_000;

/**
 * Creates the source of a server that is started again. It declares all features, because the next
 * version of the server may have others.
 *
 * @param onError - Called if a resource cannot be watched, until the next start.
 */
export function restartingSource(
  first: ConnectedSource,
  onError: (error: unknown) => void,
): RestartingSource {
  let current = versionOf(first);
  let end = new AbortController();
  let listener: ListListener = () => {};
  /** By their state. */
  const rounds = new Map<string, Round>();

  const listen = (source: ConnectedSource): void =>
    source.onListChange?.((change, audience) => listener(change, audience));
  listen(first);

  async function during<T>(version: Version, work: (source: ConnectedSource) => T | Promise<T>): Promise<T> {
    version.requests++;
    try {
      return await work(version.source);
    } finally {
      version.requests--;
      tellIfIdle(version);
    }
  }

  function closeRound(round: Round): void {
    if (round.isOpen) {
      round.isOpen = false;
      round.version.rounds--;
      tellIfIdle(round.version);
    }
  }

  function openRound(key: string, version: Version): void {
    const known = rounds.get(key);
    if (known !== undefined) {
      closeRound(known);
      rounds.delete(key);
    }
    const [oldest] = rounds;
    if (oldest !== undefined && rounds.size >= maxRounds) {
      closeRound(oldest[1]);
      rounds.delete(oldest[0]);
    }
    rounds.set(key, { version, isOpen: true });
    version.rounds++;
  }

  async function forward(request: ServerRequest): Promise<unknown> {
    const key = keyOf(request.requestState);
    const round = key === undefined ? undefined : rounds.get(key);
    const version = round?.version ?? current;
    return during(version, async (source) => {
      if (round !== undefined) {
        // A round may arrive twice, so its version stays known.
        closeRound(round);
      }
      const result = await source.forward(request);
      // It is what `inputRequired` returned.
      const next = isRecord(result) ? keyOf(result["userState"]) : undefined;
      if (next !== undefined) {
        openRound(next, version);
      }
      return result;
    });
  }

  async function* watch(
    uri: string,
    caller: LaneCaller,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly uri: string }> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const { source } = current;
      const either = anySignal([signal, end.signal]);
      if (!isFirst) {
        // The resource may have changed with the server.
        yield { uri };
      }
      try {
        yield* source.watch?.(uri, caller, either) ?? [];
      } catch (error) {
        if (!either.aborted) {
          onError(error);
        }
      }
      await aborted(either);
    }
  }

  function feature(name: "tasks" | "skills"): SourceFeature {
    return {
      offers: (era) => current.source[name]?.offers(era) ?? false,
      request: (request, method, params) =>
        during(current, (source) => source[name]?.request(request, method, params)),
    };
  }

  return {
    get current() {
      return current.source;
    },
    async replace(next) {
      const old = current;
      current = versionOf(next);
      listen(next);
      const before = end;
      end = new AbortController();
      before.abort();
      await new Promise<void>((resolve) => {
        old.onIdle = resolve;
        tellIfIdle(old);
      });
    },
    forget(source) {
      for (const [key, round] of rounds) {
        if (round.version.source === source) {
          rounds.delete(key);
          closeRound(round);
        }
      }
    },
    source: {
      info: first.info,
      instructions: first.instructions,
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      list: (kind, request) => during(current, (source) => source.list(kind, request)),
      forward,
      tasks: feature("tasks"),
      skills: feature("skills"),
      complete: (request) => during(current, (source) => source.complete(request)),
      watch,
      audienceOf: (caller) => current.source.audienceOf(caller),
      keep: (caller, signal) => current.source.keep(caller, signal),
      rootsChanged: (session) => current.source.rootsChanged(session),
      // The relay repeats the level with the first call to each version.
      logLevelChanged: (session, level) => current.source.logLevelChanged?.(session, level),
      onListChange(next) {
        listener = next;
      },
      [Symbol.asyncDispose]: () => current.source[Symbol.asyncDispose](),
    },
  };
}

function versionOf(source: ConnectedSource): Version {
  return { source, requests: 0, rounds: 0, onIdle: () => {} };
}

function tellIfIdle({ requests, rounds, onIdle }: Version): void {
  if (requests === 0 && rounds === 0) {
    onIdle();
  }
}

/** Distinguishes the states that the relay makes, if the next round needs the same version. */
function keyOf(state: unknown): string | undefined {
  return isRecord(state) && ("hold" in state || "pass" in state)
    ? createHash("sha256").update(JSON.stringify(state)).digest("base64")
    : undefined;
}
