import type { ResolvedLimits } from "@tenon/base";
import type { InputResponses } from "@tenon/protocol";

import type { Input, InputOptions } from "../input.ts";
import type { ServerLimits } from "./limits.ts";
import type { ServerRequest } from "./request.ts";

/** A secret that encrypts `requestState`, and its name. */
export interface StateKey {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`; it is visible in every state that the key seals. */
  readonly id: string;
  /**
   * At least 32 random bytes, or a string of at least 32 bytes in UTF-8 (such as
   * `openssl rand -base64 32` prints).
   */
  readonly secret: string | Uint8Array;
}

/** Keys of `requestState`, newest first, or a function that returns them. */
export type StateKeys = readonly StateKey[] | (() => Promise<readonly StateKey[]>);

/** The parts that all requests of a server share for requesting input. */
export interface InteractionService {
  readonly limits: ResolvedLimits<ServerLimits>;
  readonly principal: (request: ServerRequest) => string | undefined;
  readonly allowUnsealedState: boolean;
  /** Encrypts the state; `undefined` uses a random key of this process. */
  readonly stateKeys: StateKeys | undefined;
  readonly serverName: string;
  /** Called with errors whose details are not sent to the client. */
  readonly onError: (error: unknown) => void;
}

/** Requests input from the client on behalf of one request. */
export interface Interaction {
  /** Asks. The promise may be ignored: its rejection is never unhandled. */
  ask<T>(input: Input<T>, options: InputOptions): Promise<T>;
  /** Runs something once for the request, however often its handler runs. */
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>;
  /** The responses to the last `inputRequired`, as received. */
  readonly responses: InputResponses | undefined;
  /** The state that was given to the last `inputRequired`. */
  readonly userState: unknown;
  /** The state of the last `inputRequired` with `sealed: false`. */
  readonly unsealedState: string | undefined;
  /** The result that replaces the handler's result after the run was suspended or has failed. */
  readonly outcome: Promise<object> | undefined;
  /**
   * The result for the handler's return value, if the run was not suspended before. From then on no
   * input can be requested.
   */
  conclude(returned: unknown): unknown;
}
