// node dist/stdio.js, with the variables of PostgreSQL: PGHOST, PGUSER, PGPASSWORD, PGDATABASE.
import { StdioTransport } from "@tenon/sdk/stdio";
import { Pool } from "pg";

import { createInventory, schema } from "./inventory.ts";

const pool = new Pool({ max: 5, statement_timeout: 10_000 });
// A connection that breaks while it is idle must not end the process.
pool.on("error", console.error);
await pool.query(schema);
await createInventory(pool).run(new StdioTransport());
await pool.end();
