import { isBranded } from "@tenon/base";
import type { InputRequests, InputRequiredResult } from "@tenon/protocol";

const brand = Symbol.for("@tenon/mcp/InputRequired");

/**
 * The return value of a handler that requests input and keeps its own state. Created by
 * {@link inputRequired}.
 */
export interface InputRequired extends Pick<InputRequiredResult, "inputRequests" | "resultType"> {
  /** The state that the handler gets on the next run, unchanged. */
  readonly userState: unknown;
  readonly sealed: boolean;
}

/** The options of {@link inputRequired}. */
export interface InputRequiredInit {
  /** The input requests, by keys of your choice. */
  readonly inputRequests?: InputRequests | undefined;
  /**
   * Anything JSON can carry; on the retry it is `context.requestState`. The client can neither read
   * nor change it.
   */
  readonly requestState?: unknown;
  /**
   * `false` sends `requestState`, which must be a string, unchanged. Requires `allowUnsealedState`;
   * the next run gets it as `context.unsealedState`. Default: `true`.
   */
  readonly sealed?: boolean | undefined;
}

/**
 * Requests input without `context.elicit`. A handler returns this value and runs again when the
 * client has responded, with the responses in `context.inputResponses` (not validated) and its
 * state in `context.requestState`. For a legacy client the server sends requests and then runs the
 * handler again. For most handlers `context.elicit` and the other methods are simpler. A receiving
 * middleware may return it too, and runs again in the same way.
 */
export function inputRequired(init: InputRequiredInit): InputRequired {
  const { inputRequests, requestState, sealed = true } = init;
  const required = {
    resultType: "input_required" as const,
    ...(inputRequests === undefined ? {} : { inputRequests }),
    userState: requestState,
    sealed,
    // Enumerable: otherwise a copy made by middleware would lack it, and would be sent unsealed.
    [brand]: true,
  };
  return required;
}

/** True for what {@link inputRequired} made. */
export function isInputRequired(value: unknown): value is InputRequired {
  return isBranded(value, brand);
}
