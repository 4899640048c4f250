import { apps, hasApps } from "@tenon/sdk/apps/server";
import { Server } from "@tenon/sdk/server";

const dishes = ["Pizza", "Pasta", "Salad"] as const;
const poll = {
  type: "object",
  properties: { votes: { type: "object", additionalProperties: { type: "integer" } } },
  required: ["votes"],
} as const;

/** A server with a poll, which hosts show as buttons and other clients as text. */
export function createPolls(html: () => Promise<string>): Server {
  const counts = new Map<string, number>(dishes.map((dish) => [dish, 0]));
  const votes = (): Record<string, number> => Object.fromEntries(counts);
  // #region server
  const server = new Server({ name: "polls", version: "1.0.0" });
  server.use(apps({ views: [{ uri: "ui://polls/lunch", title: "Lunch", html, prefersBorder: true }] }));
  server.addTool(
    { name: "lunch_poll", description: "Shows the poll about lunch.", ui: "ui://polls/lunch", output: poll },
    (_, context) => {
      const text = hasApps(context) ? "The user sees the poll." : JSON.stringify(votes());
      return { content: [{ type: "text", text }], structuredContent: { votes: votes() } };
    },
  );
  server.addTool(
    {
      name: "vote",
      ui: { visibility: ["app"] }, // for the buttons, not for the model
      input: { type: "object", properties: { dish: { type: "string", enum: dishes } }, required: ["dish"] },
      output: poll,
    },
    ({ dish }) => {
      counts.set(dish, (counts.get(dish) ?? 0) + 1);
      return { votes: votes() };
    },
  );
  // #endregion server
  return server;
}
