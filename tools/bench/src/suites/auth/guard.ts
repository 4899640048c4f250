import { jwt } from "@tenon/auth/jwt";
import { createGuard, type ResourceGuard } from "@tenon/auth/server";
import { Server } from "@tenon/mcp";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

import { formatTime } from "../../format.ts";
import { sequentialLoop } from "../../loops/async.ts";
import { find, interleave, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";

const candidate = "tenon";
const issuer = "https://login.example.com";
const resource = "http://localhost/mcp";

const works = {
  guard: "guard, token verified before",
  open: "call without credentials, fetch handler",
  guarded: "call with a token verified before, fetch handler",
} as const;

/** Most nanoseconds. */
const limits = { guard: 10_000 } as const;

/** A guard whose keys come from this process, and a token that it accepts. */
async function setUp(): Promise<{ guard: ResourceGuard; token: string }> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "bench", alg: "ES256" }];
  const verify = jwt({
    issuer,
    jwksUri: `${issuer}/jwks`,
    fetch: () => Promise.resolve(Response.json({ keys })),
  });
  const token = await new SignJWT({ scope: "notes:read", client_id: "bench" })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "bench" })
    .setIssuer(issuer)
    .setAudience(resource)
    .setSubject("ada")
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(privateKey);
  return { guard: createGuard({ resource, verify, scopes: ["notes:read"] }), token };
}

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "add",
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});

/** What a request with a token costs a server. */
export const guard: Suite = {
  name: "auth-guard",
  description: "the guard of a protected server: a token that was verified before, alone and in a call",
  async run({ rounds, wants, log }) {
    const { guard: resourceGuard, token } = await setUp();
    const authorization = `Bearer ${token}`;
    const server = new Server({ name: "bench", version: "1.0.0" });
    server.addTool({ name: "add" }, () => "3");
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      host: "localhost",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "add",
      authorization,
    };
    const open = createStreamableHandler({ getServer: () => server });
    const guarded = createStreamableHandler({ getServer: () => server, ...resourceGuard });
    const call = (handler: typeof open) => async (): Promise<void> => {
      const { status } = await handler.fetch(new Request(resource, { method: "POST", headers, body }));
      if (status !== 200) {
        throw new Error(`Expected status 200, got ${status}`);
      }
    };
    const request = {
      method: "POST",
      url: "/mcp",
      headers: { get: (name: string) => headers[name as keyof typeof headers], count: () => 1 },
    };
    const authenticate = async (): Promise<void> => {
      const answer = await resourceGuard.authenticate(request);
      if (answer instanceof Response || answer === undefined) {
        throw new Error("The token was refused.");
      }
    };
    const all: Subject[] = [
      { candidate, work: works.guard, sample: sequentialLoop(authenticate, { calls: 10_000 }) },
      { candidate, work: works.open, sample: sequentialLoop(call(open), { calls: 2000 }) },
      { candidate, work: works.guarded, sample: sequentialLoop(call(guarded), { calls: 2000 }) },
    ];
    const measurements = await interleave(
      all.filter(({ work }) => wants(work)),
      { rounds, onRound: (round, of) => log(`round ${round} of ${of}`) },
    );
    await Promise.all([open.close(), guarded.close()]);
    const cpuOf = (work: string): number | undefined =>
      find(measurements, { candidate, work, metric: "cpuNs" })?.median;
    const alone = cpuOf(works.guard);
    const budgets: Budget[] =
      alone === undefined ? [] : [{ name: `${works.guard}, CPU ns`, actual: alone, limit: limits.guard }];
    const rows = Object.values(works).flatMap((work) => {
      const cpu = cpuOf(work);
      return cpu === undefined ? [] : [[work, formatTime(cpu)]];
    });
    return {
      tables: [{ title: "a protected server, CPU", columns: ["", "found"], rows }],
      measurements,
      budgets,
      notes: [],
    };
  },
};
