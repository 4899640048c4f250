import type { deferredChannel, handshakeChannel, requestChannel, sessionChannel } from "@tenon/mcp";

/**
 * The names of the semantic conventions for MCP. They are constants of ours, because the package of
 * the conventions has them in its experimental part only.
 */
export const Attribute = {
  method: "mcp.method.name",
  protocolVersion: "mcp.protocol.version",
  resourceUri: "mcp.resource.uri",
  sessionId: "mcp.session.id",
  requestId: "jsonrpc.request.id",
  errorType: "error.type",
  statusCode: "rpc.response.status_code",
  operation: "gen_ai.operation.name",
  tool: "gen_ai.tool.name",
  prompt: "gen_ai.prompt.name",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  transport: "network.transport",
  protocol: "network.protocol.name",
  serverAddress: "server.address",
  serverPort: "server.port",
  clientAddress: "client.address",
  httpMethod: "http.request.method",
  httpStatus: "http.response.status_code",
  // The conventions have no attributes for tasks and stores.
  taskId: "tenon.task.id",
  taskAttempt: "tenon.task.attempt",
  store: "tenon.store.name",
  storeOperation: "tenon.store.operation",
  taskState: "tenon.task.state",
} as const;

/** The value of the conventions for names that are not reported. */
export const other = "_OTHER";

/**
 * The channels of clients and servers. The compiler checks the names. They are not imported,
 * because bundlers would add code of clients and servers to programs that have neither.
 */
export const Channel: {
  readonly session: typeof sessionChannel;
  readonly request: typeof requestChannel;
  readonly handshake: typeof handshakeChannel;
  readonly deferred: typeof deferredChannel;
} = {
  session: "tenon:session",
  request: "tenon:request",
  handshake: "tenon:handshake",
  deferred: "tenon:deferred",
};

/** The bounds of the buckets of durations of messages and sessions, in seconds. */
const seconds: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The bounds of the buckets of calls of stores, in seconds. */
const millis: readonly number[] = [
  0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5,
];

const operation = "The duration of a request or a notification, until its result or its delivery.";
const session = "The duration of a session.";

/** The name of a histogram. */
export type HistogramName =
  | `mcp.${"client" | "server"}.${"operation" | "session"}.duration`
  | "tenon.server.http.duration"
  | "tenon.task.run.duration"
  | "tenon.store.operation.duration";

/** The name of a gauge: a number that goes up and down. */
export type GaugeName =
  | `tenon.${"client" | "server"}.${"operation" | "session"}.active`
  | "tenon.server.http.active"
  | "tenon.task.run.active";

/** The name of a gauge whose value is read from a store. */
export type ReadGaugeName = "tenon.task.active";

/** The gauges: their units and descriptions. */
export const gauges: Readonly<
  Record<GaugeName | ReadGaugeName, readonly [unit: string, description: string]>
> = {
  "tenon.client.operation.active": ["{operation}", "Requests and notifications that are being sent."],
  "tenon.client.session.active": ["{session}", "Sessions of clients that are open."],
  "tenon.server.http.active": ["{request}", "HTTP requests whose response has not ended."],
  "tenon.server.operation.active": ["{operation}", "Requests and notifications that are being handled."],
  "tenon.server.session.active": ["{session}", "Sessions of servers that are open."],
  "tenon.task.active": ["{task}", "Tasks in the store that have not ended."],
  "tenon.task.run.active": ["{run}", "Runs of tasks that have not ended."],
};

/** The histograms: their descriptions and the bounds of their buckets. */
export const histograms: Readonly<
  Record<HistogramName, readonly [description: string, buckets: readonly number[]]>
> = {
  "mcp.client.operation.duration": [operation, seconds],
  "mcp.client.session.duration": [session, seconds],
  "mcp.server.operation.duration": [operation, seconds],
  "mcp.server.session.duration": [session, seconds],
  "tenon.server.http.duration": ["The duration of an HTTP request, until its response has ended.", seconds],
  "tenon.task.run.duration": ["The duration of a run of a task.", seconds],
  "tenon.store.operation.duration": ["The duration of a call of a store.", millis],
};
