import {
  defineClientExtension,
  defineMethod,
  defineServerExtension,
  type ClientExtension,
  type ServerExtension,
} from "@tenon/mcp";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /** The price of a call, in cents. */
    readonly price?: number | undefined;
  }
  interface SessionExtensionProperties {
    /** Returns the total price of all calls of the user, in cents. */
    readonly spent: () => Promise<number>;
  }
}

const id = "com.example/prices";
const spent = defineMethod({
  method: "com.example/prices/spent",
  extension: id,
  result: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] } as const,
});

/** Tools with a `price`: the list shows it, and each user has an account. */
export const prices: ServerExtension = defineServerExtension({
  id,
  setup: (server, host) => {
    const accounts = new Map<string, number>();
    server.addMethod(spent, (_, { auth }) => ({ cents: accounts.get(auth?.principal ?? "") ?? 0 }));
    host.addToolOption<number>("price", {
      list: (cents) => ({ _meta: { [id]: { cents } } }),
      call: ({ value, request, run }) => {
        const user = request.auth?.principal ?? "";
        accounts.set(user, (accounts.get(user) ?? 0) + value);
        return run();
      },
    });
  },
});

/** Adds `session.spent()`. */
export const priceReader: ClientExtension = defineClientExtension({
  id,
  setup: (_, host) => {
    host.addSessionProperty("spent", (session) => async () => {
      const { cents } = await session.request(spent, {});
      return cents;
    });
  },
});
