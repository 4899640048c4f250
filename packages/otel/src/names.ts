import type { requestChannel, sessionChannel } from "@tenon/mcp";

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
  /** The conventions have no attribute for tasks. */
  taskId: "tenon.task.id",
} as const;

/** The metrics of the semantic conventions for MCP, by side. */
export const Metric = {
  client: {
    operation: "mcp.client.operation.duration",
    session: "mcp.client.session.duration",
  },
  server: {
    operation: "mcp.server.operation.duration",
    session: "mcp.server.session.duration",
  },
} as const;

/** The bounds of the buckets of both metrics, in seconds. */
export const buckets: number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * The channels of clients and servers. The compiler checks the names. They are not imported,
 * because bundlers would add code of clients and servers to programs that have neither.
 */
export const Channel: {
  readonly session: typeof sessionChannel;
  readonly request: typeof requestChannel;
} = { session: "tenon:session", request: "tenon:request" };
