import type { Manager, NamedTool } from "@tenon/sdk/host";
import { Server } from "@tenon/sdk/server";

/** Tools by their name at the gateway: `mcp__<server>__<tool>`. */
type Offered = ReadonlyMap<string, NamedTool>;

/** A server that offers the tools of all servers of a manager. */
export interface Gateway {
  readonly server: Server;
  /** Stops following the lists of the servers. The manager is not closed. */
  close(): void;
}

/**
 * Creates a gateway. Clients see one list of tools, which follows the servers: it changes when a
 * server changes its list, is lost or comes back. Progress and cancellation are passed on.
 *
 * @param onError - Called if the lists cannot be read.
 */
export async function createGateway(manager: Manager, onError: (error: unknown) => void): Promise<Gateway> {
  const server = new Server({ name: "gateway", version: "1.0.0" });
  let offered: Offered = new Map();

  const refresh = async (): Promise<void> => {
    const listed: Offered = new Map((await manager.tools()).map((tool) => [tool.name, tool]));
    const isSame = (name: string): boolean => listed.get(name)?.tool === offered.get(name)?.tool;
    server.removeTools(...[...offered.keys()].filter((name) => !isSame(name)));
    for (const named of [...listed.values()].filter(({ name }) => !isSame(name))) {
      offer(named);
    }
    offered = listed;
  };

  const offer = ({ name, tool }: NamedTool): void => {
    const { description, title, annotations } = tool;
    server.addTool(
      {
        name,
        input: tool.inputSchema,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      (args, ctx) =>
        manager.callToolByName(name, args as Readonly<Record<string, unknown>>, {
          signal: ctx.signal,
          onProgress: ({ progress, total, message }) => void ctx.progress(progress, total, message),
        }),
    );
  };

  // One refresh runs at a time, so that the newest lists win.
  let last: Promise<void> = refresh();
  await last;
  const follow = (): void => {
    last = last.then(refresh).catch(onError);
  };
  const stops = [manager.on("list_changed", follow), manager.on("state", follow)];
  return {
    server,
    close() {
      stops.forEach((stop) => stop());
    },
  };
}
