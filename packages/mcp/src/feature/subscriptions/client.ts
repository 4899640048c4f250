import {
  changeNotifications,
  MetaKey,
  type ResourceUpdatedNotificationParams,
  type SubscriptionFilter,
} from "@tenon/protocol";

import type { ClientFeature, ClientMethod } from "../../request/client/feature.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { InnerClientRequest } from "../../request/client/request.ts";
import type { ClientSession } from "../../request/client/session.ts";
import { forgetOutputs } from "../tools/client/listed-outputs.ts";
import { changeCalls } from "./client/change-calls.ts";
import { type KeptListener, listening } from "./client/kept.ts";
import { deliver, runningListens } from "./client/running.ts";
import { tellReaders } from "./client/watch.ts";

/** Called when a list has changed. Request the list again to get the new items. */
export type ListChangedHandler = (session: ClientSession) => void | Promise<void>;

/** Called when a resource has changed. Read it again to get the new contents. */
export type ResourceUpdatedHandler = (
  update: ResourceUpdatedNotificationParams,
  session: ClientSession,
) => void | Promise<void>;

/** A client's handlers of changes. @source S-165, S-172…S-174 */
export interface ChangeHandlers {
  readonly onToolsChanged?: ListChangedHandler | undefined;
  readonly onPromptsChanged?: ListChangedHandler | undefined;
  /** Also called when the list of templates has changed. @source S-173 */
  readonly onResourcesChanged?: ListChangedHandler | undefined;
  /** Called for every resource that a session has subscribed to or watches. */
  readonly onResourceUpdated?: ResourceUpdatedHandler | undefined;
}

/** The notifications that a list has changed. */
const listMethods = [...changeNotifications()].flatMap(([method, { change }]) =>
  change === "list" ? [method] : [],
);

function listHandlerOf(handlers: ChangeHandlers, method: string): ListChangedHandler | undefined {
  const { hook } = changeNotifications().get(method) ?? {};
  return handlers[hook as Exclude<keyof ChangeHandlers, "onResourceUpdated">];
}

/**
 * Handles change notifications in a client: makes cached results stale, and calls the handlers that
 * wait for changes.
 */
export function changesFeature(handlers: ChangeHandlers): ClientFeature {
  const listChanged: ClientMethod = (params, request) =>
    received(params, request, (session) => {
      // In the modern era the client's own listen calls the handlers.
      return session.era === "legacy" ? listHandled(session, handlers, request.method) : undefined;
    });
  return {
    notifications: {
      ...Object.fromEntries(listMethods.map((method) => [method, listChanged])),
      "notifications/resources/updated": (params, request) =>
        received(params, request, (session) => {
          if (typeof params["uri"] !== "string") {
            return undefined;
          }
          const update = { ...params, uri: params["uri"] };
          if (session.era === "legacy") {
            tellReaders(session, update);
          }
          const { onResourceUpdated } = handlers;
          return (
            onResourceUpdated &&
            called(session, `${request.method} ${update.uri}`, () => onResourceUpdated(update, session))
          );
        }),
      "notifications/subscriptions/acknowledged": (params, request) =>
        received(params, request, () => undefined),
      "notifications/cancelled": (params, { session }) => {
        session?.state.peek(runningListens)?.get(params["requestId"])?.end();
      },
    },
  };
}

/** Calls the handler of a list. */
function listHandled(session: InnerClientSession, handlers: ChangeHandlers, method: string): unknown {
  const handler = listHandlerOf(handlers, method);
  return handler && called(session, method, () => handler(session));
}

function called(session: InnerClientSession, subject: string, handler: () => unknown): unknown {
  return session.state.get(changeCalls).call(subject, handler, session.onError);
}

function received(
  params: InnerClientRequest["params"],
  { session, method, meta }: InnerClientRequest,
  handle: (session: InnerClientSession) => unknown,
): unknown {
  if (session === undefined) {
    return undefined;
  }
  session.forgetStale(method, params);
  if (method === "notifications/tools/list_changed") {
    forgetOutputs(session);
  }
  if (session.era === "modern") {
    deliver(session, meta[MetaKey.subscriptionId], { method, params });
  }
  return handle(session);
}

/**
 * Subscribes to the lists that have a handler, if the server is modern and supports it. A failure
 * does not fail the session.
 */
export async function listenForLists(session: InnerClientSession, handlers: ChangeHandlers): Promise<void> {
  const { rules, onError } = session;
  const wanted = listMethods.filter(
    (method) => listHandlerOf(handlers, method) !== undefined && session.offers(method),
  );
  if (rules.era === "legacy" || wanted.length === 0) {
    return;
  }
  const filter = Object.fromEntries(
    wanted.flatMap((method) => {
      const field = rules.methods[method]?.filter;
      return field === undefined ? [] : [[field, true]];
    }),
  ) as SubscriptionFilter;
  const tell = (method: string): void => {
    void (async () => listHandled(session, handlers, method))().catch(onError);
  };
  try {
    const mayHaveChanged = (): void => wanted.forEach(tell);
    const listener: KeptListener = {
      onChange: ({ method }) => tell(method),
      onResumed: mayHaveChanged,
      // The lists of a server that has ended must not be shown any longer.
      onInterrupted: mayHaveChanged,
      onLost: onError,
    };
    await listening.use(({ keepListening }) =>
      keepListening(session, filter, listener, session.probeTimeoutMs),
    );
  } catch (error) {
    onError(error);
  }
}
