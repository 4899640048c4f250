import type { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";

/** A server whose tools do everything that a proxy must pass on. */
export interface MatrixServer extends AsyncDisposable {
  readonly server: Server;
}

/**
 * @param effect - Gets what the tools do, a line for each.
 * @param revision - The only protocol version that the server speaks. Default: all.
 */
export function matrixServer(effect: (line: string) => void, revision?: Revision): Promise<MatrixServer>;
