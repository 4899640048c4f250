import { freePort, startLoginServer } from "@tenon/example-authorization-server";

import { serveNotes } from "../src/protect.ts";

/** The notes server and its authorization server. */
export interface Started extends AsyncDisposable {
  readonly resource: string;
  readonly issuer: string;
}

/** Starts both on free ports. */
export async function start(): Promise<Started> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const login = await startLoginServer(resource);
  const listening = await serveNotes(resource, login.issuer, port);
  return {
    resource,
    issuer: login.issuer,
    async [Symbol.asyncDispose]() {
      await listening.close({ drainMs: 0 });
      await login[Symbol.asyncDispose]();
    },
  };
}
