import { accepted, Server } from "@tenon/sdk/server";
import { z } from "zod";

const rooms = ["Mortise", "Tenon"] as const;

/** A server that books rooms, and requests the number of people from the user. */
export function createServer(): Server {
  const secret = process.env["STATE_SECRET"];
  const server = new Server(
    { name: "rooms", version: "1.0.0" },
    // Several instances serve one user: all of them need the same key.
    secret === undefined
      ? {}
      : { interaction: { stateKeys: [{ id: "1", secret: Buffer.from(secret, "base64") }] } },
  );
  server.addTool({ name: "book_room", input: z.object({ room: z.enum(rooms) }) }, async ({ room }, ctx) => {
    const answer = await ctx.elicit({
      message: `How many people need the room ${room}?`,
      requestedSchema: z.object({ people: z.number().int().min(1).max(20) }),
    });
    return `${room} is booked for ${accepted(answer).people}.`;
  });
  return server;
}
