import { accepted, Server, ToolError } from "@tenon/sdk/server";
import { z } from "zod";

// #region tool
export const server = new Server({ name: "clock", version: "1.0.0" });

server.addTool(
  {
    name: "time_in",
    description: "Returns the current date and time in a time zone.",
    input: z.object({ zone: z.string().describe("An IANA time zone, such as Asia/Tokyo") }),
    output: z.object({ zone: z.string(), time: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ zone }) => timeIn(zone),
);

function timeIn(timeZone: string): { zone: string; time: string } {
  try {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "full", timeStyle: "short" });
    return { zone: timeZone, time: format.format(new Date()) };
  } catch {
    throw new ToolError(`There is no time zone ${timeZone}; use an IANA name such as Asia/Tokyo.`);
  }
}
// #endregion tool

// #region ask
server.addTool(
  { name: "my_time", description: "Requests the time zone of the user, and returns the time there." },
  async (_, ctx) => {
    const answer = await ctx.elicit({
      message: "Which time zone are you in?",
      requestedSchema: z.object({ zone: z.string().default("Europe/Oslo") }),
    });
    return timeIn(accepted(answer).zone).time;
  },
);
// #endregion ask
