import { isRecord } from "@tenon/base";
import { callerError, isHostError, type ListItems, type ListKind, type Manager } from "@tenon/host";
import { isRpcError, type RpcError } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp/server";
import type { CallToolResult } from "@tenon/protocol";

import { borrowedSource } from "./borrowed-source.ts";
import type { SourceSetup } from "./composed-source.ts";
import { createRecovering } from "./recovering.ts";
import type { ReceivedParams, ProxySource } from "./source.ts";

/**
 * Makes a source of one server of a manager. The manager's policy holds: calls are approved, tools
 * that have drifted are hidden, and limits, retries and reconnection are the manager's. The source
 * connects again to a server that the manager has given up.
 *
 * @param server - Its name in the manager.
 * @param setup - `title`: its name in the composition.
 */
export function managedSource(
  manager: Manager,
  server: string,
  { title, relay, onError }: Pick<SourceSetup, "relay" | "onError"> & { readonly title: string },
): ProxySource {
  const source = borrowedSource({
    name: title,
    relay,
    onError,
    session: () => manager.connect(server),
  });
  // The manager reconnects.
  source.onDown?.(() => {});
  const stopReviving = reviving(manager, server);
  const lists = managedLists(manager, server, onError);

  async function callTool(request: ServerRequest, params: ReceivedParams, method: string): Promise<unknown> {
    const { name, arguments: args } = params;
    let answer: unknown;
    let lost: RpcError | undefined;
    try {
      const result = await manager.callTool(server, String(name), (args ?? {}) as ReceivedParams, {
        signal: request.signal,
        send: async (_session, { signal = request.signal }) => {
          try {
            answer = await source.forward(withSignal(request, signal), params, method);
          } catch (error) {
            // The manager must not take the relay's words for a response of the server.
            lost = isLost(error) ? error : undefined;
            throw lost?.cause ?? error;
          }
          return isResult(answer) ? answer : { content: [] };
        },
      });
      return isResult(answer) ? result : answer;
    } catch (error) {
      if (isHostError(error)) {
        const own = lost !== undefined && [error, error.cause].includes(lost.cause) ? lost : undefined;
        throw own ?? callerError(error, title);
      }
      throw error;
    }
  }

  return {
    ...source,
    onDown: undefined,
    get info() {
      return source.info;
    },
    get instructions() {
      return source.instructions;
    },
    get capabilities() {
      return source.capabilities;
    },
    list: lists.read,
    forward(request, params = request.params, method = request.method) {
      // Later rounds of a call belong to the call that was permitted: their state is sealed.
      return method === "tools/call" && request.requestState === undefined
        ? callTool(request, params, method)
        : source.forward(request, params, method);
    },
    onListChange(listener) {
      lists.follow((method) => listener({ method, origin: server }, undefined));
    },
    async [Symbol.asyncDispose]() {
      stopReviving();
      lists.stop();
      await source[Symbol.asyncDispose]();
    },
  };
}

/**
 * Connects again to a server that the manager has given up, until it responds. The clients of a
 * composition cannot call `connect`.
 *
 * @returns Ends it.
 */
function reviving(manager: Manager, server: string): () => void {
  const ended = new AbortController();
  const hasFailed = (): boolean => manager.snapshot.get(server)?.state === "failed";
  const recovering = createRecovering(
    {
      get isConnected() {
        return !hasFailed();
      },
      async recover() {
        await manager.connect(server);
      },
    },
    // The manager reports its new state.
    () => {},
    ended.signal,
  );
  recovering.start();
  const stop = manager.on("state", (event) => {
    if (event.server === server && event.to === "failed") {
      recovering.start();
    }
  });
  return () => {
    stop();
    ended.abort();
  };
}

function isResult(value: unknown): value is CallToolResult {
  return typeof value === "object" && value !== null && Array.isArray((value as ReceivedParams)["content"]);
}

/** Whether the error was made by the relay, because there was no response of the server. */
function isLost(error: unknown): error is RpcError {
  return isRpcError(error) && error.cause !== undefined && isRecord(error.data) && "delivered" in error.data;
}

/** The request with another signal, which aborts also at the time limit of the manager. */
function withSignal(request: ServerRequest, signal: AbortSignal): ServerRequest {
  return new Proxy(request, {
    get: (target, key) => (key === "signal" ? signal : (Reflect.get(target, key, target) as unknown)),
  });
}

/** The lists of one server, as the manager allows them. */
function managedLists(
  manager: Manager,
  server: string,
  onError: SourceSetup["onError"],
): {
  read<K extends ListKind>(kind: K): Promise<readonly ListItems[K][]>;
  follow(tell: (method: string) => void): void;
  stop(): void;
} {
  const own = new WeakMap<readonly unknown[], readonly unknown[]>();
  const stops: (() => void)[] = [];
  const all = {
    tools: async () => ofServer(await manager.tools(), ({ tool }) => tool),
    prompts: async () => ofServer(await manager.prompts(), ({ prompt }) => prompt),
    resources: async () => ofServer(await manager.resources(), ({ resource }) => resource),
    resourceTemplates: async () =>
      ofServer(await manager.resourceTemplates(), ({ resourceTemplate }) => resourceTemplate),
  };

  /** The manager returns the same array until something changes, and so does this. */
  function ofServer<N extends { readonly server: string }, T>(
    named: readonly N[],
    item: (one: N) => T,
  ): readonly T[] {
    let items = own.get(named);
    if (items === undefined) {
      items = named.filter((one) => one.server === server).map((one) => item(one));
      own.set(named, items);
    }
    return items as readonly T[];
  }

  return {
    read: (kind) => all[kind]() as Promise<readonly never[]>,
    follow(tell) {
      const changed = (list: ListKind): void =>
        tell(`notifications/${list === "resourceTemplates" ? "resources" : list}/list_changed`);
      stops.push(
        manager.on("list_failed", (event) => event.server === server && onError(event.error)),
        manager.on("list_changed", (event) => event.server === server && changed(event.list)),
        manager.on("state", (event) => {
          if (event.server === server) {
            (["tools", "prompts", "resources"] as const).forEach(changed);
          }
        }),
      );
    },
    stop: () => stops.splice(0).forEach((stop) => stop()),
  };
}
