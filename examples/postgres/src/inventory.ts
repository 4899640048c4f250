import { accepted, RpcError, Server, ToolError } from "@tenon/sdk/server";
import type { Pool } from "pg";
import { z } from "zod";

/** The tables, which {@link createInventory} expects. */
export const schema = `
  CREATE TABLE IF NOT EXISTS part (
    id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL UNIQUE,
    stock integer NOT NULL CHECK (stock >= 0)
  )`;

interface Part {
  readonly id: number;
  readonly name: string;
  readonly stock: number;
}

const part = z.object({ id: z.number().int(), name: z.string(), stock: z.number().int() });

/** Reservations above this number require the consent of the user. */
const large = 100;

/** A server for an inventory in PostgreSQL: one pool for all clients. */
export function createInventory(pool: Pool): Server {
  const server = new Server({ name: "inventory", version: "1.0.0" });

  server.addTool(
    {
      name: "find_parts",
      description: "Finds parts by a piece of their name.",
      input: z.object({ text: z.string().min(1), limit: z.number().int().min(1).max(50).default(20) }),
      output: z.object({ parts: z.array(part) }),
      annotations: { readOnlyHint: true },
    },
    async ({ text, limit }) => {
      // Values are parameters, and signs with a meaning in LIKE are escaped.
      const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      const sql = "SELECT id, name, stock FROM part WHERE name ILIKE $1 ORDER BY name LIMIT $2";
      const { rows } = await pool.query<Part>(sql, [pattern, limit]);
      return { parts: rows };
    },
  );

  server.addTool(
    {
      name: "reserve_part",
      description: "Removes a number of a part from the stock.",
      input: z.object({ id: z.number().int(), count: z.number().int().min(1) }),
      output: part,
      annotations: { destructiveHint: true },
    },
    async ({ id, count }, ctx) => {
      if (count > large) {
        const answer = await ctx.elicit({
          message: `Reserve ${count} at once?`,
          requestedSchema: z.object({ confirm: z.boolean() }),
        });
        if (!accepted(answer).confirm) {
          throw new ToolError("The user did not confirm the reservation.");
        }
      }
      // A step runs once, even if the call is continued in another process.
      const taken = await ctx.step("reserve", () => reserve(pool, id, count));
      server.resourceUpdated(`part://${id}`);
      return taken;
    },
  );

  server.addResourceTemplate(
    { uriTemplate: "part://{id}", name: "part", mimeType: "application/json" },
    async ({ uri, variables: { id } }) => {
      const number = /^\d{1,9}$/.test(id) ? Number(id) : 0;
      const { rows } = await pool.query<Part>("SELECT id, name, stock FROM part WHERE id = $1", [number]);
      if (rows[0] === undefined) {
        throw new RpcError(-32_602, `There is no part ${uri}`);
      }
      return JSON.stringify(rows[0]);
    },
  );
  return server;
}

/** Removes parts in one statement, so that two calls never take the same part. */
async function reserve(pool: Pool, id: number, count: number): Promise<Part> {
  const sql = "UPDATE part SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING id, name, stock";
  const { rows } = await pool.query<Part>(sql, [id, count]);
  if (rows[0] !== undefined) {
    return rows[0];
  }
  const found = await pool.query<Part>("SELECT stock FROM part WHERE id = $1", [id]);
  throw new ToolError(
    found.rows[0] === undefined
      ? `There is no part ${id}; use find_parts.`
      : `Only ${found.rows[0].stock} of part ${id} are in stock.`,
  );
}
