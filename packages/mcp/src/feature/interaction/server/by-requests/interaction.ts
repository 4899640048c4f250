import { anySignal, printable } from "@tenon/base";
import { isRpcError } from "@tenon/jsonrpc2/core";
import type { InputResponses } from "@tenon/protocol";

import { isMcpError, McpError } from "../../../../base/error.ts";
import { quiet } from "../../../../base/values.ts";
import { type Input, type InputOptions } from "../../../../request/input.ts";
import type { InputRequired } from "../../../../request/server/input-required.ts";
import type { Interaction } from "../../../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../../../request/server/request.ts";
import { reportWaiting } from "../../../progress/server/waiting.ts";
import { toldToClient } from "../errors.ts";
import { InputKeys } from "../keys.ts";
import { checkStepResult } from "../step-result.ts";

/** Requests input by JSON-RPC requests to the client, for legacy clients. */
export class InteractionByRequests implements Interaction {
  readonly #request: InnerServerRequest;
  readonly #steps = new Map<string, Promise<unknown>>();
  #keys = new InputKeys();
  #last: InputRequired | undefined;
  #responses: InputResponses | undefined;

  constructor(request: InnerServerRequest) {
    this.#request = request;
  }

  get responses(): InputResponses | undefined {
    return this.#responses;
  }

  get userState(): unknown {
    return this.#last?.sealed === true ? this.#last.userState : undefined;
  }

  get unsealedState(): string | undefined {
    return this.#last?.sealed === false ? (this.#last.userState as string) : undefined;
  }

  /** A client that receives requests waits for the handler to return. */
  get outcome(): undefined {
    return undefined;
  }

  conclude(returned: unknown): unknown {
    return returned;
  }

  /** Gets ready for another run of the handler. */
  restart(last: InputRequired, responses: InputResponses): void {
    this.#keys = new InputKeys();
    this.#last = last;
    this.#responses = responses;
  }

  ask<T>(input: Input<T>, options: InputOptions): Promise<T> {
    return quiet(this.#ask(input, options));
  }

  step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    return quiet(this.#step(name, run));
  }

  async #ask<T>(input: Input<T>, { key, ...options }: InputOptions): Promise<T> {
    this.#keys.take(input.method, key);
    const answer = await this.call(input.method, input.params, options);
    try {
      return await input.read(answer);
    } catch (error) {
      throw isMcpError(error, "INVALID_RESULT") ? toldToClient(error) : error;
    }
  }

  /** Sends one request; it is given up when the client cancels what it is for. */
  async call(
    method: string,
    params: object,
    { signal, timeoutMs = Infinity, ...rest }: Omit<InputOptions, "key"> = {},
  ): Promise<unknown> {
    const own = this.#request.signal;
    const who = method === "elicitation/create" ? "user" : "client";
    const stop = reportWaiting(this.#request, `Waiting for the response of the ${who}`);
    try {
      return await this.#request.call(method, params, {
        ...rest,
        signal: signal === undefined ? own : anySignal([own, signal]),
        timeoutMs,
      });
    } catch (error) {
      if (!isRpcError(error)) {
        throw error;
      }
      // An error response of the client must not become this server's response to the client's
      // request.
      const message = `The client responded to ${method} with error ${error.code}: ${printable(error.message.slice(0, 500))}`;
      throw toldToClient(new McpError("INPUT_FAILED", message, { cause: error }));
    } finally {
      stop();
    }
  }

  async #step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    this.#keys.takeName(name, "step");
    const remembered = this.#steps.get(name) as Promise<T> | undefined;
    if (remembered !== undefined) {
      return remembered;
    }
    const value = await run();
    checkStepResult(name, value);
    this.#steps.set(name, Promise.resolve(value));
    return value;
  }
}
