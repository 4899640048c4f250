import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Server } from "@tenon/mcp/server";

import { mountedSource } from "./mounted-source.ts";
import type { SourceFeature } from "./source-feature.ts";
import type { ListListener, ProxySource } from "./source.ts";

/** Makes a source of a server that is made when it is first needed. */
export function lazySource(create: () => Server | Promise<Server>, title: string): ProxySource {
  let listener: ListListener = () => {};
  let source: ProxySource | undefined;
  let opening: Promise<ProxySource> | undefined;
  let isClosed = false;
  const outers: Server[] = [];

  function expectOpen(): void {
    if (isClosed) {
      const data = { reason: "not-sent", delivered: "no" };
      throw new RpcError(ErrorCode.InternalError, `Cannot use ${title}: the proxy was closed.`, { data });
    }
  }

  function open(): Promise<ProxySource> {
    opening ??= Promise.resolve()
      .then(expectOpen)
      .then(create)
      .then(
        (server) => {
          expectOpen();
          source = mountedSource(server);
          outers.forEach((outer) => source?.adopt?.(outer));
          source.onListChange?.((change, audience) => listener(change, audience));
          return source;
        },
        (error: unknown) => {
          opening = undefined;
          throw error;
        },
      );
    return opening;
  }

  /** A feature that the server may have. */
  function feature(name: "tasks" | "skills"): SourceFeature {
    return {
      offers: (era) => (source === undefined ? undefined : (source[name]?.offers(era) ?? false)),
      request: async (request, method, params, signal) => {
        const opened = (await open())[name];
        if (opened === undefined) {
          throw new RpcError(ErrorCode.InvalidParams, `The server ${title} has no ${name}.`);
        }
        return opened.request(request, method, params, signal);
      },
    };
  }

  return {
    get info() {
      return source?.info ?? { name: title, version: "0.0.0" };
    },
    get instructions() {
      return source?.instructions;
    },
    get capabilities() {
      return source?.capabilities ?? {};
    },
    current: (kind, request) => source?.current?.(kind, request),
    list: async (kind, request) => (await open()).list(kind, request),
    forward: (request, params, method) =>
      source === undefined
        ? open().then((opened) => opened.forward(request, params, method))
        : source.forward(request, params, method),
    complete: async (request, params) => (await open()).complete(request, params),
    async *watch(uri, caller, signal) {
      const opened = await open();
      yield* opened.watch?.(uri, caller, signal) ?? [];
    },
    subscribed: async (uri, session, isWatched) => (await open()).subscribed?.(uri, session, isWatched),
    tasks: feature("tasks"),
    skills: feature("skills"),
    adopt(outer) {
      outers.push(outer);
      source?.adopt?.(outer);
    },
    audienceOf: (caller) => source?.audienceOf(caller),
    keep: () => Promise.resolve(() => {}),
    rootsChanged() {
      // Its handlers request the roots when they need them.
    },
    onListChange(next) {
      listener = next;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await source?.[Symbol.asyncDispose]();
    },
  };
}
