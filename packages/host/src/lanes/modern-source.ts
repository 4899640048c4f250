import { isRecord } from "@tenon/base";
import { isRpcError } from "@tenon/jsonrpc2/core";
import { inputRequired, type RequestOptions, type ServerRequest } from "@tenon/mcp";
import { MetaKey, metaOf, type InputRequests, type InputResponses } from "@tenon/protocol";

import { declaredBy, type LaneCaller } from "./caller.ts";
import { followTask, needsTasks } from "./follow-task.ts";
import type { ForwardOptions } from "./forward-options.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import { afterEffects, serverRestarted } from "./refusals.ts";
import { taskOption, takesTasks } from "./tasks.ts";

/** The state of a round that a modern server has ended by input requests. */
export interface PassedState {
  /** The state of the server. */
  readonly state?: string;
  /** The name of the server. */
  readonly server?: string;
  /** The ID of the connection. */
  readonly lane?: string;
}

/** A request for a server. */
export interface Target {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** See `ForwardOptions`. */
  readonly task?: ForwardOptions["task"];
}

/**
 * Reports the progress of a server's request as progress of the client's present request. Between
 * its rounds there is none.
 */
export function progressOf(request: () => ServerRequest): Pick<RequestOptions, "onProgress"> {
  return {
    onProgress: ({ progress, total, message }) =>
      void request()
        .progress(progress, total, message)
        .catch(() => {}),
  };
}

/**
 * Sends one round to a modern server.
 *
 * @param state - The state of its last round.
 * @returns Its result, which may require input.
 */
async function callModern(
  request: ServerRequest,
  { key, inputs }: LaneCaller,
  { session, logs }: Lane,
  { method, params }: Target,
  state: string | undefined,
): Promise<object> {
  const { inputResponses, signal } = request;
  const sent = {
    ...params,
    ...(state === undefined ? {} : { requestState: state }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
  };
  const options = {
    signal,
    capabilities: declaredBy({ inputs }),
    autoFulfil: false,
    ...taskOption(session, { method }, takesTasks(request)),
    ...progressOf(() => request),
  } as const;
  const isLogged = request.meta[MetaKey.logLevel] !== undefined;
  return logs.during({ key, request: () => request, isLogged }, (onId) =>
    session.request(method as "tools/call", sent as never, { ...options, onId }),
  );
}

/**
 * Sends a round of a modern client to a modern server.
 *
 * @param pass - The state of the last round.
 * @returns What the middleware must return: the result, or what `inputRequired` returned.
 * @throws `RpcError` for the caller; `request.signal.reason`.
 */
export async function passOn(
  request: ServerRequest,
  caller: LaneCaller,
  lane: Lane,
  lanes: Lanes,
  target: Target,
  pass: PassedState | undefined,
): Promise<object> {
  const result = await callModern(request, caller, lane, target, pass?.state).catch((error: unknown) => {
    request.signal.throwIfAborted();
    const isOther = pass?.lane !== undefined && pass.lane !== lane.id;
    throw isOther && isStateRefusal(error) ? serverRestarted(lanes.name, error) : lanes.failed(error);
  });
  if (!("resultType" in result) || result.resultType !== "input_required") {
    return result;
  }
  const { inputRequests, requestState } = result as {
    readonly inputRequests?: object;
    readonly requestState?: string;
  };
  return inputRequired({
    ...(inputRequests === undefined ? {} : { inputRequests: inputRequests as never }),
    requestState: {
      pass: {
        ...(requestState === undefined ? {} : { state: requestState }),
        lane: lane.id,
        ...(lanes.name === undefined ? {} : { server: lanes.name }),
      },
    },
  });
}

/** Whether a server does not know the state of the round before. */
function isStateRefusal(error: unknown): boolean {
  return isRpcError(error) && isRecord(error.data) && error.data["reason"] === "state-refused";
}

/**
 * Sends a request of a legacy client to a modern server, and asks the client for the input that the
 * server requires.
 */
export async function callAsLegacy(
  request: ServerRequest,
  { key: caller, inputs }: LaneCaller,
  { session, logs }: Lane,
  lanes: Lanes,
  { method, params }: Target,
  logLevel: unknown,
): Promise<object> {
  // The server that a legacy client talks to knows its level, and this server does not.
  const sent = { ...params, _meta: { ...metaOf(params), [MetaKey.logLevel]: logLevel ?? "info" } };
  const ask = async (asked: string, given: object, signal: AbortSignal): Promise<unknown> =>
    request.call(asked as "ping", forLegacy(given) as never, { signal, timeoutMs: Infinity });
  let hasRun = false;
  const answer = async (inputRequests: InputRequests, signal: AbortSignal): Promise<InputResponses> => {
    hasRun = true;
    const answers = await Promise.all(
      Object.entries(inputRequests).map(async ([key, { method: asked, params: given = {} }]) => [
        key,
        await ask(asked, given, signal),
      ]),
    );
    return Object.fromEntries(answers) as InputResponses;
  };
  const send = (mayBeTask: boolean): Promise<object> =>
    logs.during({ key: caller, request: () => request, isLogged: true }, (onId) =>
      session.request(method as "tools/call", sent as never, {
        signal: request.signal,
        capabilities: declaredBy({ inputs }),
        onId,
        ...taskOption(session, { method }, mayBeTask),
        ...progressOf(() => request),
        onInputRequired: async ({ inputRequests = {} }, { signal }) => answer(inputRequests, signal),
      }),
    );
  try {
    return await send(false).catch(async (error: unknown) => {
      if (!needsTasks(error)) {
        throw error;
      }
      // The server has refused the call before it ran.
      const { signal } = request;
      const started = await send(true);
      hasRun = true;
      const { clock } = lanes;
      return followTask(session, started, { signal, capabilities: declaredBy({ inputs }), clock, answer });
    });
  } catch (error) {
    request.signal.throwIfAborted();
    const failure = lanes.failed(error);
    throw hasRun ? afterEffects(failure) : failure;
  }
}

/** The params of an input request as 2025-11-25 requires them: a page has an id. */
function forLegacy(params: object): object {
  return "mode" in params && params.mode === "url" && !("elicitationId" in params)
    ? { ...params, elicitationId: crypto.randomUUID() }
    : params;
}
