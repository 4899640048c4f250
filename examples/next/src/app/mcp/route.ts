// In a project of Next.js this file is `app/mcp/route.ts`.
import { createStatelessHandler } from "@tenon/sdk/http";

import { createServer } from "../../server.ts";

const server = createServer();
const handler = createStatelessHandler({
  getServer: () => server,
  allowedHosts: ["localhost", ...(process.env["PUBLIC_HOST"] ?? "").split(",").filter(Boolean)],
});

export const GET = handler.fetch;
export const POST = handler.fetch;
export const DELETE = handler.fetch;
export const OPTIONS = handler.fetch;

/** The maximum time of a request on Vercel, in seconds. */
export const maxDuration = 60;
