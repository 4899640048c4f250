import type { ClientSession } from "@tenon/mcp/client";

import type { Forwarding } from "./forwarding.ts";
import { aborted } from "./front.ts";
import { sessionSource } from "./session-source.ts";
import type { ProxySource } from "./source.ts";

/** A server that is started again while its clients stay connected. */
export interface RestartingSource {
  /** Requests go to the newest session. */
  readonly source: ProxySource;
  /** The newest session. */
  readonly session: ClientSession;
  /** Sets the session of the server that has started. Watches continue with it. */
  replace(next: ClientSession): void;
}

interface Generation {
  readonly session: ClientSession;
  readonly source: ProxySource;
  readonly end: AbortController;
}

/**
 * Creates the source of a server that is started again. It declares all features, because the next
 * version of the server may have others.
 *
 * @param onError - Called if a resource cannot be watched, until the next start.
 */
export function restartingSource(
  first: ClientSession,
  forwarding: Forwarding,
  onError: (error: unknown) => void,
): RestartingSource {
  const generationOf = (session: ClientSession): Generation => ({
    session,
    source: sessionSource(session, forwarding),
    end: new AbortController(),
  });
  let current = generationOf(first);

  async function* watch(uri: string, signal: AbortSignal): AsyncGenerator<{ readonly uri: string }> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const { source, end } = current;
      const either = AbortSignal.any([signal, end.signal]);
      if (!isFirst) {
        // The resource may have changed with the server.
        yield { uri };
      }
      try {
        yield* source.watch?.(uri, either) ?? [];
      } catch (error) {
        if (!either.aborted) {
          onError(error);
        }
      }
      await aborted(either);
    }
  }

  return {
    get session() {
      return current.session;
    },
    replace(next) {
      const before = current;
      current = generationOf(next);
      before.end.abort();
    },
    source: {
      info: current.source.info,
      instructions: current.source.instructions,
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      tools: (signal) => current.source.tools(signal),
      prompts: (signal) => current.source.prompts(signal),
      resources: (signal) => current.source.resources(signal),
      resourceTemplates: (signal) => current.source.resourceTemplates(signal),
      callTool: (name, args, request) => current.source.callTool(name, args, request),
      getPrompt: (name, args, request) => current.source.getPrompt(name, args, request),
      readResource: (uri, request) => current.source.readResource(uri, request),
      complete: (params, request) => current.source.complete(params, request),
      watch,
      rootsChanged: () => current.source.rootsChanged(),
      onListChange: forwarding.onListChange,
      [Symbol.asyncDispose]: () => current.session.close({ drainMs: 500 }),
    },
  };
}
