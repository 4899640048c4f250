/**
 * The HTTP handlers on AWS Lambda: behind function URLs, and behind HTTP and REST APIs of API
 * Gateway.
 *
 * @packageDocumentation
 */

export type { LambdaEvent, LambdaEventV1, LambdaEventV2 } from "./event.ts";
export type { LambdaContext } from "./invocation.ts";
export {
  createLambdaHandler,
  type LambdaHandler,
  type LambdaHandlerLimits,
  type LambdaHandlerOptions,
} from "./lambda-handler.ts";
export type { LambdaResult } from "./result.ts";
export type { ServeHandler, LambdaLimits, LambdaOptions, LambdaRoute } from "./serve.ts";
export { createStreamingLambdaHandler, type StreamingLambdaHandlerOptions } from "./streaming-handler.ts";
