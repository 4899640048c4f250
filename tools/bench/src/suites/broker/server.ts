import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createGuard, type ResourceGuard } from "@tenon/auth/server";
import { createBroker, oauth2, type BrokerOptions } from "@tenon/broker";
import { Server } from "@tenon/mcp";
import { createNodeListener } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

import { serveSamples } from "../../child.ts";
import { sequentialLoop } from "../../loops/async.ts";
import type { Metrics } from "../../runner.ts";
import { login } from "./logins.ts";

const [provider = ""] = process.argv.slice(2);
const scopes = { "notes:read": "Read your notes" };
const upstream = oauth2({
  id: "idp",
  name: "IdP",
  clientId: "bench",
  authorizationEndpoint: `${provider}/authorize`,
  tokenEndpoint: `${provider}/token`,
  userinfo: { url: `${provider}/me` },
  profile: { subject: "id" },
});
const clients = 100_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Registers 10⁵ clients, as fast as the broker accepts or refuses them. */
async function flood(limits: BrokerOptions["limits"]): Promise<Metrics> {
  const broker = await createBroker({ resource: "http://127.0.0.1:1/mcp", scopes, upstream, limits });
  const register = async (index: number): Promise<number> => {
    const metadata = {
      client_name: `Client ${index}`,
      redirect_uris: [`http://127.0.0.1:${1024 + (index % 60_000)}/callback`],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
    const request = new Request("http://127.0.0.1:1/register", {
      method: "POST",
      headers: { "content-type": "application/json", host: "127.0.0.1:1" },
      body: JSON.stringify(metadata),
    });
    const response = await broker.routes[0]?.serve(request);
    await response?.arrayBuffer();
    return response?.status ?? 0;
  };
  await register(0);
  const before = heap();
  const started = performance.now();
  const used = process.cpuUsage();
  let [accepted, next, peak] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    while (next < clients) {
      next++;
      const status = await register(next);
      accepted += status === 201 ? 1 : 0;
      peak = next % 10_000 === 0 ? Math.max(peak, process.memoryUsage.rss()) : peak;
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  const { user, system } = process.cpuUsage(used);
  const ns = ((performance.now() - started) * 1e6) / clients;
  const cpuNs = ((user + system) * 1000) / clients;
  const grownBytes = heap() - before;
  // The broker lives until here, so that its clients were counted.
  return { ns, cpuNs, accepted, grownBytes, peakBytes: peak, issuers: broker.issuer.length };
}

interface Started {
  readonly port: number;
  readonly guard: ResourceGuard;
}

let started: Promise<Started> | undefined;

/** Starts a server on a port, which the sample has as a number. */
async function start(): Promise<Started> {
  const http = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  const { port } = http.address() as AddressInfo;
  const resource = `http://127.0.0.1:${port}/mcp`;
  const limits = { maxLogins: 1_000_000, maxRegistrations: 1_000_000 };
  const broker = await createBroker({ resource, scopes, upstream, limits });
  const server = new Server({ name: "bench", version: "1.0.0" });
  server.addTool({ name: "who" }, (_, { auth }) => auth?.subject ?? "");
  const guard = createGuard({ resource, verify: broker.verify, scopes: ["notes:read"] });
  const handler = createStreamableHandler({ getServer: () => server, ...guard });
  http.on("request", createNodeListener(handler, { path: "/mcp", routes: broker.routes }));
  return { port, guard };
}

let guarding: (() => Promise<Metrics>) | undefined;

/** The guard alone, with a token that it has verified before. */
async function guardAlone(): Promise<Metrics> {
  const { port, guard } = await (started ??= start());
  if (guarding === undefined) {
    const token = await login(`http://127.0.0.1:${port}`);
    const headers: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` };
    const request = {
      method: "POST",
      url: "/mcp",
      headers: { get: (name: string) => headers[name], count: () => 1 },
    };
    guarding = sequentialLoop(
      async () => {
        const answer = await guard.authenticate(request);
        if (answer instanceof Response || answer === undefined) {
          throw new Error("The token was refused.");
        }
      },
      { calls: 10_000 },
    );
  }
  return guarding();
}

serveSamples(
  new Map<string, () => Metrics | Promise<Metrics>>([
    ["port", async () => ({ port: (await (started ??= start())).port })],
    ["guard", guardAlone],
    ["flood", () => flood({ maxRegistrations: 10 * clients })],
    ["flood at the limit", () => flood({})],
  ]),
);
