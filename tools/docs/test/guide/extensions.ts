import {
  Client,
  defineClientExtension,
  defineMethod,
  defineNotification,
  type ClientSession,
} from "@tenon/sdk/client";
import { defineServerExtension, Server } from "@tenon/sdk/server";

// #region define
const extension = "com.example/dictionary";

export const lookUp = defineMethod({
  method: "com.example/dictionary/lookUp",
  extension,
  params: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  result: { type: "object", properties: { meaning: { type: "string" } }, required: ["meaning"] },
});

export const learned = defineNotification({
  method: "com.example/dictionary/learned",
  extension,
  params: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
});
// #endregion define

/** A server with the extension. */
export function createDictionary(): Server {
  // #region server
  const server = new Server({ name: "dictionary", version: "1.0.0" });
  const words = new Map([["tenon", "the cut end of a beam"]]);

  server.addMethod(lookUp, async ({ word }, ctx) => {
    const meaning = words.get(word);
    await ctx.notify(learned, { word });
    return { meaning: meaning ?? "nobody knows" };
  });
  // #endregion server
  return server;
}

/** A client with it. */
export function createReader(learn: (word: string) => void): Client {
  // #region client
  const client = new Client(
    { name: "reader", version: "1.0.0" },
    { extensions: { "com.example/dictionary": {} } },
  );
  client.addNotification(learned, ({ word }) => learn(word));
  // #endregion client
  return client;
}

/** What the page asks. */
export async function ask(session: ClientSession): Promise<string> {
  // #region use
  const { meaning } = await session.request(lookUp, { word: "tenon" });
  // #endregion use
  return meaning;
}

/** Adds an extension that is one value. */
export function add(dictionary: Server, reader: Client): void {
  // #region add
  dictionary.use(defineServerExtension({ id: "com.example/spelling", setup: () => ({ languages: ["en"] }) }));
  reader.use(defineClientExtension({ id: "com.example/spelling" }));
  // #endregion add
}
