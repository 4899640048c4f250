/**
 * JSON-RPC over standard input and output.
 *
 * @packageDocumentation
 */

export { CommandTransport, type CommandConnection, type CommandOptions } from "./client.ts";
export { allowedEnvironment } from "./environment.ts";
export {
  nodeLauncher,
  type ExitStatus,
  type LaunchedProcess,
  type LaunchRequest,
  type ProcessLauncher,
} from "./launcher.ts";
export type { CommandLimits, StdioLimits } from "./limits.ts";
export { StdioTransport, type StdioOptions } from "./server.ts";
export { gracefulShutdown, interruptShutdown, type ShutdownStep } from "./shutdown.ts";
