import {
  defineMethod,
  defineNotification,
  defineServerExtension,
  type ClientOptions,
  type Server,
  type ServerExtensionHost,
} from "@tenon/mcp";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /** Whether calls of the tool wait: an option of the extension of these tests. */
    readonly waits?: boolean | undefined;
  }
}

const id = "com.example/queue";

/** Where a ticket is in the queue. */
export const place = defineMethod({
  method: "com.example/queue/place",
  extension: id,
  header: "ticket",
  params: { type: "object", properties: { ticket: { type: "string" } }, required: ["ticket"] } as const,
});

/** A ticket has moved. */
export const moved = defineNotification({ method: "notifications/com.example/queue/moved", extension: id });

/** The options of a client with the extension. */
export const queueing: ClientOptions = { extensions: { [id]: {} } };

/** Adds the extension to a server, and a tool with its option. */
export function addQueue(server: Server): ServerExtensionHost {
  let hosted: ServerExtensionHost | undefined;
  server.use(
    defineServerExtension({
      id,
      setup: (_, host) => {
        hosted = host;
        server.addMethod(place, () => ({ place: 1 }));
        host.addFilter("tickets", { accept: (tickets) => tickets.filter((ticket) => ticket !== "foreign") });
        host.addToolOption("waits", {
          list: () => ({ _meta: { [id]: "waits" } }),
          call: ({ run }) => run(),
        });
      },
    }),
  );
  server.addTool({ name: "queued", waits: true }, () => id);
  return hosted as unknown as ServerExtensionHost;
}
