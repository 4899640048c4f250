import { integer, string } from "@tenon/sdk/jsonschema";
import {
  defineTool,
  RpcError,
  Server,
  ToolError,
  type ClientSession,
  type CallToolResult,
} from "@tenon/sdk/server";
import { z } from "zod";

/** The server that docs/tools.md shows piece by piece. */
export function createForecasts(): Server {
  // #region literal
  const server = new Server({ name: "forecasts", version: "1.0.0" });

  server.addTool(
    {
      name: "forecast",
      description: "The weather of the next days",
      input: {
        type: "object",
        properties: {
          city: { type: "string", description: "Its name" },
          days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
        },
        required: ["city"],
        additionalProperties: false,
      },
      output: {
        type: "object",
        properties: { city: { type: "string" }, highs: { type: "array", items: { type: "number" } } },
        required: ["city", "highs"],
      },
      annotations: { readOnlyHint: true },
    },
    ({ city, days }) => ({ city, highs: Array.from({ length: days }, () => 21) }),
  );
  // #endregion literal

  // #region class
  class Place {
    @string("ISO 3166-1 alpha-2 code", { pattern: "^[A-Z]{2}$" }) country!: string;
    @integer("How many of its cities", { minimum: 1 }) limit = 5;
  }

  server.addTool({ name: "cities", input: Place }, ({ country, limit }) => `${limit} cities of ${country}`);
  // #endregion class

  // #region zod
  const window = z.object({ from: z.iso.date(), to: z.iso.date() }).refine(({ from, to }) => from <= to, {
    message: "from must not be after to",
  });

  server.addTool({ name: "history", input: window }, ({ from, to }) => `from ${from} to ${to}`);
  // #endregion zod

  // #region results
  server.addTool({ name: "as_text" }, () => "sunny");
  server.addTool({ name: "as_blocks" }, () => [
    { type: "text", text: "The map:" },
    { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    { type: "resource_link", uri: "maps://today", name: "today" },
  ]);
  server.addTool({ name: "as_full_result" }, () => ({
    content: [{ type: "text", text: "sunny" }],
    _meta: { "com.example/source": "satellite" },
  }));
  // #endregion results

  // #region errors
  server.addTool(
    { name: "book", input: { type: "object", properties: { day: { type: "string" } }, required: ["day"] } },
    ({ day }, ctx) => {
      if (ctx.meta["com.example/user"] === undefined) {
        throw new RpcError(1403, "Sign in first"); // becomes the error response
      }
      if (day < "2026-01-01") {
        throw new ToolError(`${day} is in the past; give a day after today.`); // shown to the model
      }
      throw new Error("postgres://user:secret@host"); // a generic failure; onError gets the error
    },
  );
  // #endregion errors

  // #region context
  server.addTool({ name: "download" }, async (_, ctx) => {
    const parts = ["radar", "satellite", "stations"];
    for (const [index, part] of parts.entries()) {
      await load(part, ctx.signal); // aborts when the client cancels or disconnects
      await ctx.progress(index + 1, parts.length, part); // sent if the client has asked for progress
    }
    return `Loaded for ${ctx.client.info?.name ?? "somebody"} in ${ctx.revision}.`;
  });
  // #endregion context

  server.addTool(area);
  return server;
}

async function load(_part: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
}

// #region define
const rectangle = {
  type: "object",
  properties: { width: { type: "number" }, height: { type: "number" } },
  required: ["width", "height"],
} as const;

export const area = defineTool(
  { name: "area", input: rectangle, output: { type: "number" } },
  ({ width, height }) => width * height,
);
// #endregion define

/** The calls that the page shows. */
export async function useForecasts(
  session: ClientSession,
): Promise<{ readonly untyped: CallToolResult; readonly size: number; readonly names: string[] }> {
  // #region call
  const untyped = await session.callTool({ name: "forecast", arguments: { city: "Oslo" } });
  if (untyped.isError === true) {
    console.error(untyped.content);
  }

  const size = await session.callTool(area, { width: 2, height: 3 }); // number
  // #endregion call

  const names: string[] = [];
  // #region list
  for await (const { name } of session.tools()) {
    names.push(name);
  }
  // #endregion list
  return { untyped, size, names };
}

/** Tools that come and go. */
export function change(server: Server): void {
  // #region change
  server.addTool({ name: "surprise" }, () => "boo");
  server.removeTools("surprise", "cities");
  // #endregion change
}
