import { apps } from "@tenon/apps/server";
import { Server } from "@tenon/mcp";
import { createSkillCatalog, skills } from "@tenon/skills/server";

import { mapView } from "./map-view.ts";

const cityInput = {
  type: "object",
  properties: { city: { type: "string", default: "Oslo" } },
  required: ["city"],
} as const;

/** A server that offers one of everything that the page shows. */
export async function demoServer(): Promise<Server> {
  const server = new Server(
    { name: "weather", version: "1.2.0" },
    { logging: true, instructions: "Ask for a city first." },
  );
  server.use(
    apps({
      views: [{ uri: "ui://weather/map", html: mapView, csp: { connectDomains: ["https://tiles.example"] } }],
    }),
    skills(
      await createSkillCatalog([
        {
          path: "umbrellas",
          files: {
            "SKILL.md":
              "---\nname: umbrellas\ndescription: When to recommend an umbrella\n---\n\n# Umbrellas\n\nRecommend one above 2 mm of rain.\n",
            "references/sizes.md": "# Sizes\n\nA child needs 70 cm.\n",
          },
        },
      ]),
    ),
  );
  server.addTool(
    { name: "map", title: "Weather map", ui: "ui://weather/map", input: cityInput },
    ({ city }) => ({ content: [{ type: "text", text: `The sky over ${city} is clear.` }] }),
  );
  server.addTool({ name: "refresh", ui: { visibility: ["app"] } }, () => "It rains.");
  server.addTool(
    {
      name: "forecast",
      title: "Forecast",
      description: "The weather of the next days.",
      annotations: { readOnlyHint: true },
      input: {
        type: "object",
        properties: {
          city: { type: "string", description: "The name of the city", minLength: 1 },
          days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
          units: { enum: ["metric", "imperial"], default: "metric" },
          compare: { type: "array", items: { $ref: "#/$defs/place" }, maxItems: 3 },
        },
        required: ["city"],
        $defs: {
          place: {
            type: "object",
            properties: {
              name: { type: "string" },
              at: {
                anyOf: [
                  {
                    title: "position",
                    type: "object",
                    properties: { lat: { type: "number" }, lon: { type: "number" } },
                    required: ["lat", "lon"],
                  },
                  { type: "null" },
                ],
              },
            },
            required: ["name", "at"],
          },
        },
      } as const,
    },
    async ({ city, days }, { progress, log }) => {
      await progress(1, 2, "Reading the stations");
      await log("info", { stations: 12 });
      await progress(2, 2);
      return { city, days, sky: "clear" };
    },
  );
  server.addTool(
    { name: "order", title: "Order an umbrella", annotations: { destructiveHint: true } },
    async (_, ctx) => {
      const { action, content } = await ctx.elicit({
        message: "Where should it go?",
        requestedSchema: {
          type: "object",
          properties: {
            address: { type: "string", title: "Address", minLength: 3 },
            color: { type: "string", enum: ["black", "red"], default: "black" },
            gift: { type: "boolean", title: "Wrap it as a gift" },
          },
          required: ["address"],
        },
      });
      return `${action} ${String(content?.["address"])}`;
    },
  );
  server.addTool({ name: "fail", description: "Fails." }, () => {
    throw new Error("boom");
  });
  server.addPrompt(
    { name: "plan", arguments: [{ name: "city", required: true }] },
    ({ city }) => `Plan a day in ${city}.`,
  );
  server.addResource({ uri: "weather://stations", name: "Stations" }, () => "Oslo\nBergen");
  return server;
}
