import type { Expected } from "./matchers.ts";

/** The matchers as methods of `expect(…)`. */
export interface TenonMatchers {
  /** The result of a call is not an error, and its text equals or matches `expected`. */
  toBeToolText(expected: Expected): void;
  /** The result of a call is an error that the model sees, with this text if one is given. */
  toBeToolError(expected?: Expected): void;
  /** `structuredContent` of a result fits a schema, or the output schema of a tool. */
  toMatchOutputSchema(schemaOrTool: object): void;
  /** The client has sent a request of this method, with these properties in its parameters. */
  toHaveCalled(method: string, params?: object): void;
  /** No error response, and nothing that is not a message, went over the wire of a pair. */
  toHaveNoProtocolErrors(): void;
  /** The definitions contain a tool of this name, with these properties if some are given. */
  toOfferTool(name: string, members?: object): void;
}
