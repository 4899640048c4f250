import { createStatelessHandler } from "@tenon/sdk/http";
import { Server, ToolError } from "@tenon/sdk/server";
import { z } from "zod";

/** The bindings of the Worker: a token for each user. */
interface Env {
  readonly TOKENS: Readonly<Record<string, string>>;
}

const server = new Server({ name: "shortener", version: "1.0.0" });
server.addTool(
  { name: "shorten", input: z.object({ url: z.url() }), output: z.object({ id: z.string() }) },
  async ({ url }, { auth }) => {
    if (auth?.principal === undefined) {
      throw new ToolError("Log in to shorten addresses.");
    }
    const bytes = new TextEncoder().encode(`${auth.principal} ${url}`);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return { id: [...hash.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
  },
);

const handler = createStatelessHandler({ getServer: () => server });

// oxlint-disable-next-line import/no-default-export -- this is how a Worker names its handlers
export default {
  /** The bindings identify the user: `serve` accepts callers that other code has identified. */
  fetch(request: Request, env: Env): Promise<Response> {
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const principal = token === undefined ? undefined : env.TOKENS[token];
    return handler.serve(request, principal === undefined ? {} : { auth: { principal } });
  },
};
