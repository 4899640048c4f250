import type { Clock } from "@tenon/jsonrpc2";
import { Client, type ClientOptions } from "@tenon/mcp";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Implementation,
  Root,
} from "@tenon/protocol";

import type { ListKind } from "../events.ts";
import type { Rules } from "../policy/policy.ts";
import { Gate } from "../server/gate.ts";

/** An input request of a server, and the name of the server. @source S-229 */
export interface Asked<P> {
  /** The configured name. */
  readonly server: string;
  readonly params: P;
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Handlers for requests of servers. Without a handler the capability is not declared and requests
 * are rejected.
 */
export interface HostHandlers {
  /**
   * Shows a dialog, one at a time for each server. `"cancel"` declares the capability and always
   * returns `cancel`.
   *
   * @source S-226
   */
  readonly elicitation?:
    | "cancel"
    | {
        readonly form?: ((asked: Asked<ElicitRequestFormParams>) => Promise<ElicitResult>) | undefined;
        readonly url?: ((asked: Asked<ElicitRequestURLParams>) => Promise<ElicitResult>) | undefined;
      }
    | undefined;
  /**
   * Has a model respond after a person has agreed. The limit of concurrent requests per server is
   * the limit of its policy for calls (`limits.maxInFlight`).
   */
  readonly sampling?:
    | ((asked: Asked<CreateMessageRequestParams>) => Promise<CreateMessageResult>)
    | undefined;
  /** The folders that a server may know of, when it is first connected to. */
  readonly roots?: ((server: string) => readonly Root[]) | undefined;
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
  const { sampling } = handlers;
  return new Client(info, {
    elicitation,
    ...(sampling === undefined || !rules.sampling
      ? {}
      : {
          sampling: samplingOf(server, sampling, rules.limits.maxInFlight),
        }),
    ...(rules.roots ? { roots: handlers.roots?.(server) } : {}),
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
    createMessage: async (params, { signal }) => {
      const leave = await gate.enter(signal);
      try {
        return await sampling({ server, params, signal });
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
    <P>(ask: (asked: Asked<P>) => Promise<ElicitResult>) =>
    async (params: P, { signal }: { readonly signal: AbortSignal }): Promise<ElicitResult> => {
      let leave: () => void;
      try {
        leave = await gate.enter(signal);
      } catch {
        return { action: "cancel" };
      }
      try {
        return await ask({ server, params, signal });
      } finally {
        leave();
      }
    };
  const { form, url } = handlers;
  return {
    ...(form === undefined ? {} : { form: inTurn(form) }),
    ...(url === undefined ? {} : { url: inTurn(url) }),
  };
}
