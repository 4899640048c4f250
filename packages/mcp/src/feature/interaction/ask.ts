import type { ServerRequest } from "../../session/request.ts";
import { quiet, type Input, type InputOptions } from "./input.ts";

/** Asks on behalf of a request. Whatever goes wrong, also before anything is sent, rejects; the promise may be ignored. */
export function ask<T>(
  request: ServerRequest,
  make: (request: ServerRequest) => Input<T>,
  options: InputOptions = {},
): Promise<T> {
  try {
    return request.interaction.ask(make(request), options);
  } catch (error) {
    return quiet(Promise.reject(error));
  }
}
