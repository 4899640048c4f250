import { RpcError } from "@tenon/jsonrpc2/core";

import type { Answer } from "../wire/action.ts";
import type { InputRequest, InputKind } from "../wire/state.ts";
import type { ResolvedInspectorLimits } from "./limits.ts";

/** The input requests of the server that wait for the person. */
export interface InputRequests {
  readonly waiting: readonly InputRequest[];
  /** The responses that are sent without asking, by kind. */
  readonly always: Readonly<Partial<Record<InputKind, Answer>>>;
  /**
   * Resolves with the response of the person. Rejects if `signal` aborts.
   *
   * @param id - The ID of the request that the server asks for, if it is known.
   */
  ask(kind: InputKind, params: object, signal: AbortSignal, id?: string | number): Promise<Answer>;
  /** Settles an input request. Returns false if it has ended. */
  answer(question: string, answer: Answer, always: boolean): boolean;
  /** Removes the response for a kind. */
  askAgain(kind: InputKind): void;
  /** Cancels the newest input request, because another server needs its place. */
  giveUp(): void;
  /** Cancels all input requests. */
  close(): void;
}

/** The functions that a table of input requests calls. */
export interface InputsOwner {
  /** A new ID, which no input request of any server has. */
  readonly nextId: () => string;
  /** How many input requests of this server may wait. */
  readonly most: () => number;
  /**
   * Makes room for an input request of this server, of which so many wait. Returns false if the
   * limit of all servers is reached.
   */
  readonly makeRoom: (waiting: number) => boolean;
  readonly now: () => number;
  readonly onChange: () => void;
  /** The call and the task of an input request. Either can be unknown. */
  readonly ownerOf: (params: object, id: string | number | undefined) => InputOwner;
  /** Called with a sentence about an input request that was cancelled without asking. */
  readonly onRefused: (reason: string) => void;
}

/** The call and the task of an input request. */
export type InputOwner = Pick<InputRequest, "call" | "task">;

const refused: Answer = { action: "cancel" };

/** Creates an empty table. */
export function createInputRequests(limits: ResolvedInspectorLimits, hooks: InputsOwner): InputRequests {
  const waiting = new Map<
    string,
    { readonly question: InputRequest; readonly settle: (answer: Answer) => void }
  >();
  const always: Partial<Record<InputKind, Answer>> = {};

  return {
    get waiting() {
      return [...waiting.values()].map(({ question }) => question);
    },
    always,
    ask(kind, params, signal, asked) {
      const ready = always[kind];
      if (ready !== undefined) {
        return Promise.resolve(ready);
      }
      const most = hooks.most();
      if (
        waiting.size >= most ||
        JSON.stringify(params).length > limits.maxInputRequestLength ||
        !hooks.makeRoom(waiting.size)
      ) {
        hooks.onRefused(
          `Cancelled an input request: expected at most ${most} of a server at a time, of at most ${limits.maxInputRequestLength} characters each; ${waiting.size} are open.`,
        );
        return Promise.resolve(refused);
      }
      const id = hooks.nextId();
      const owner = hooks.ownerOf(params, asked);
      return new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(id);
          signal.removeEventListener("abort", abort);
          hooks.onChange();
        };
        const abort = (): void => {
          end();
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", abort);
        waiting.set(id, {
          question: { id, kind, at: hooks.now(), params, ...owner },
          settle: (answer) => {
            end();
            resolve(answer);
          },
        });
        hooks.onChange();
      });
    },
    answer(id, answer, forAll) {
      const found = waiting.get(id);
      if (found === undefined) {
        return false;
      }
      if (forAll) {
        always[found.question.kind] = answer;
      }
      found.settle(answer);
      return true;
    },
    askAgain(kind) {
      delete always[kind];
      hooks.onChange();
    },
    giveUp() {
      const newest = [...waiting.values()].at(-1);
      if (newest !== undefined) {
        hooks.onRefused("Cancelled an input request: another server needs its share of them.");
        newest.settle(refused);
      }
    },
    close() {
      for (const { settle } of waiting.values()) {
        settle(refused);
      }
    },
  };
}

/** The error of a person who declines a sampling request. @source R-613 */
export function declined(): RpcError {
  return new RpcError(-1, "The user declined the request.");
}
