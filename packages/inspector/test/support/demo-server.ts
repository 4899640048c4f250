import { apps } from "@tenon/apps/server";
import { Server } from "@tenon/mcp";
import { createSkillCatalog, skills } from "@tenon/skills/server";
import { createTaskEngine } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";

import { mapView } from "./map-view.ts";
import { radarPicture, tone } from "./samples.ts";

const cityInput = {
  type: "object",
  properties: { city: { type: "string", default: "Oslo" } },
  required: ["city"],
} as const;

const report = `## Rain over Oslo

Heavy showers move **east**, about *20 km/h*. See [the radar](https://radar.example/oslo).

| hour | rain | wind |
|------|------|------|
| 14   | 2 mm | 4 m/s |
| 15   | 6 mm | 9 m/s |

1. Close the windows.
2. Take an \`umbrella\`.
`;

const stationsOutput = {
  type: "object",
  properties: {
    city: { type: "string", title: "City" },
    stations: {
      type: "array",
      title: "Stations",
      items: {
        type: "object",
        properties: {
          name: { type: "string", title: "Name" },
          rain: { type: "number", title: "Rain in mm" },
          open: { type: "boolean", title: "Open" },
        },
        required: ["name", "rain"],
      },
    },
  },
  required: ["city", "stations"],
} as const;

/** A server that offers one of everything that the page shows. */
export async function demoServer(): Promise<Server> {
  const server = new Server(
    { name: "weather", version: "1.2.0" },
    { logging: true, instructions: "Ask for a city first. Then call `forecast`, and `radar` for a picture." },
  );
  server.use(tasks({ engine: createTaskEngine() }));
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
  server.addTool(
    {
      name: "radar",
      title: "Radar",
      description: "A picture of the rain, a report, and its sources.",
      annotations: { readOnlyHint: true },
    },
    () => ({
      content: [
        { type: "image", data: radarPicture(), mimeType: "image/png" },
        { type: "text", text: report },
        { type: "audio", data: tone(), mimeType: "audio/wav" },
        {
          type: "resource_link",
          uri: "weather://stations",
          name: "stations",
          title: "Stations",
          description: "The stations that measured.",
          mimeType: "text/plain",
        },
        {
          type: "resource",
          resource: { uri: "weather://raw", mimeType: "application/json", text: '{"mm":[2,6]}' },
        },
      ],
    }),
  );
  server.addTool(
    {
      name: "stations",
      title: "Stations",
      description: "What the stations of a city have measured.",
      annotations: { readOnlyHint: true },
      input: cityInput,
      output: stationsOutput,
    },
    ({ city }) => ({
      city,
      stations: [
        { name: "Blindern", rain: 6.1, open: true },
        { name: "Tryvann", rain: 9.4, open: false },
      ],
    }),
  );
  server.addTool(
    { name: "summary", title: "Summary", description: "Asks a model for a summary of the weather." },
    async (_, ctx) => {
      const { content } = await ctx.sample({
        systemPrompt: "You are brief.",
        maxTokens: 200,
        messages: [
          { role: "user", content: { type: "text", text: "How is the weather in **Oslo**?" } },
          { role: "assistant", content: { type: "text", text: "It rains." } },
          { role: "user", content: { type: "text", text: "And tomorrow?" } },
        ],
      });
      const [block] = Array.isArray(content) ? content : [content];
      return `The model says: ${block?.type === "text" ? block.text : ""}`;
    },
  );
  server.addTool(
    { name: "archive", title: "Archive", description: "Runs as a task.", task: "optional" },
    async (_, { progress }) => {
      await progress(1, 2, "Half of the years");
      return "Archived 40 years.";
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
