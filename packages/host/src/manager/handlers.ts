import type { Clock } from "@tenon/base";
import {
  Client,
  type ClientOptions,
  type ClientRequest,
  type ElicitationHandler,
  type ElicitationHandlers,
  type RootsSource,
  type SamplingOptions,
} from "@tenon/mcp";
import type { Implementation, Root } from "@tenon/protocol";

import type { ListKind } from "../events.ts";
import type { Rules } from "../policy/policy.ts";
import { Gate } from "../server/gate.ts";

/** An input request, with the configured name of the server that sent it. @source S-229 */
export interface HostRequest extends ClientRequest {
  /** The configured name of the server. */
  readonly server: string;
}

/**
 * Handlers for requests of servers, in the shapes of the options of a `Client`, whose handlers a
 * manager accepts unchanged. Without a handler the capability is not declared and requests are
 * rejected.
 */
export interface HostHandlers {
  /**
   * Shows a dialog, one at a time for each server. `"cancel"` declares the capability and always
   * returns `cancel`.
   *
   * @source S-226
   */
  readonly elicitation?: "cancel" | ElicitationHandlers<HostRequest> | undefined;
  /**
   * Has a model respond after a person has agreed. The limit of concurrent requests per server is
   * the limit of its policy for calls (`limits.maxInFlight`).
   */
  readonly sampling?: SamplingOptions<HostRequest> | undefined;
  /**
   * The roots that servers may list, or a function that returns the roots for a request of a
   * server.
   */
  readonly roots?: readonly Root[] | RootsSource<HostRequest> | undefined;
}

/** Maximum number of waiting dialogs per server. Further dialogs are cancelled. */
const maxWaitingDialogs = 16;
/**
 * Maximum number of waiting sampling requests per server. Further requests are rejected. One result
 * in 2026-07-28 cannot contain as many.
 */
const maxWaitingQuestions = 64;

/** The options for the client of a server. */
export interface ClientSetup {
  readonly info: Implementation;
  readonly handlers: HostHandlers;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Called when lists have changed. */
  onChanged(...lists: readonly ListKind[]): void;
  /** Called when a resource has changed. */
  onUpdated(uri: string): void;
}

/** The client of one server: its handlers know the server's name. */
export function createClient(server: string, setup: ClientSetup): Client {
  const { info, handlers, rules, clock, onError, onChanged, onUpdated } = setup;
  const elicitation = rules.elicitation ? elicitationOf(server, handlers.elicitation) : undefined;
  const { sampling, roots } = handlers;
  return new Client(info, {
    elicitation,
    ...(sampling === undefined || !rules.sampling
      ? {}
      : {
          sampling: samplingOf(server, sampling, rules.limits.maxInFlight),
        }),
    ...(rules.roots
      ? { roots: typeof roots === "function" ? (request) => roots(named(request, server)) : roots }
      : {}),
    onToolsChanged: () => onChanged("tools"),
    onPromptsChanged: () => onChanged("prompts"),
    onResourcesChanged: () => onChanged("resources", "resourceTemplates"),
    onResourceUpdated: ({ uri }) => onUpdated(uri),
    // The host keeps lists and resources itself.
    cache: false,
    clock,
    onError,
  });
}

/**
 * A server may send many requests at once, and a model may be slow or expensive: requests above the
 * limits are rejected.
 */
function samplingOf(
  server: string,
  sampling: NonNullable<HostHandlers["sampling"]>,
  maxInFlight: number,
): ClientOptions["sampling"] {
  const gate = new Gate(maxInFlight, maxWaitingQuestions);
  return {
    ...sampling,
    createMessage: async (params, request) => {
      const leave = await gate.enter(request.signal);
      try {
        return await sampling.createMessage(params, named(request, server));
      } finally {
        leave();
      }
    },
  };
}

function elicitationOf(server: string, handlers: HostHandlers["elicitation"]): ClientOptions["elicitation"] {
  if (handlers === undefined || handlers === "cancel") {
    return handlers;
  }
  const gate = new Gate(1, maxWaitingDialogs);
  const inTurn =
    <P>(ask: ElicitationHandler<P, HostRequest>): ElicitationHandler<P> =>
    async (params, request) => {
      let leave: () => void;
      try {
        leave = await gate.enter(request.signal);
      } catch {
        return { action: "cancel" };
      }
      try {
        return await ask(params, named(request, server));
      } finally {
        leave();
      }
    };
  const { form, url, onComplete } = handlers;
  return {
    form: form && inTurn(form),
    url: url && inTurn(url),
    onComplete: onComplete && ((id, request) => onComplete(id, named(request, server))),
  };
}

/** The request, with the configured name of its server. */
function named(request: ClientRequest, server: string): HostRequest {
  const { session, params, id, relatedTo, signal, method, meta } = request;
  return {
    server,
    session,
    params,
    id,
    relatedTo,
    signal,
    method,
    meta,
    with: (changed) => named(request.with(changed), server),
  };
}
