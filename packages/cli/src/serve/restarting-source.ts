import type { ConnectedSource, ListListener, ProxySource } from "@tenon/compose";
import type { LaneCaller } from "@tenon/host";

import { aborted } from "./front.ts";

/** A server that is started again while its clients stay connected. */
export interface RestartingSource {
  /** Requests go to the newest version of the server. */
  readonly source: ProxySource;
  /** The newest version. */
  readonly current: ConnectedSource;
  /**
   * Sets the version that has started. Watches continue with it.
   *
   * @returns Resolves when the version before has no call in flight any more.
   */
  replace(next: ConnectedSource): Promise<void>;
}

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
  let current = first;
  let end = new AbortController();
  let listener: ListListener = () => {};
  const calls = new Map<ConnectedSource, Set<Promise<unknown>>>();
  const forward: ProxySource["forward"] = (request) => {
    const source = current;
    const open = calls.get(source) ?? new Set<Promise<unknown>>();
    calls.set(source, open);
    const call = (async (): Promise<unknown> => source.forward(request))();
    open.add(call);
    const settled = (): void => void open.delete(call);
    call.then(settled, settled);
    return call;
  };
  const listen = (source: ConnectedSource): void =>
    source.onListChange?.((change, audience) => listener(change, audience));
  listen(first);

  async function* watch(
    uri: string,
    caller: LaneCaller,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly uri: string }> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const source = current;
      const either = AbortSignal.any([signal, end.signal]);
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

  return {
    get current() {
      return current;
    },
    async replace(next) {
      const old = current;
      current = next;
      listen(next);
      const before = end;
      end = new AbortController();
      before.abort();
      await Promise.allSettled([...(calls.get(old) ?? [])]);
      calls.delete(old);
    },
    source: {
      info: first.info,
      instructions: first.instructions,
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      list: (kind, request) => current.list(kind, request),
      forward,
      complete: (request) => current.complete(request),
      watch,
      audienceOf: (caller) => current.audienceOf(caller),
      keep: (caller, signal) => current.keep(caller, signal),
      rootsChanged: (session) => current.rootsChanged(session),
      onListChange(next) {
        listener = next;
      },
      [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
    },
  };
}
