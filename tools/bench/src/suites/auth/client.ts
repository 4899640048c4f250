import { StreamableHTTPClientTransport, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { authorizationCode, createOAuth } from "@tenon/auth/client";
import { StreamableClientTransport, type AuthProvider } from "@tenon/transports-streamable-http/client";

import { formatCount, formatTime } from "../../format.ts";
import { sequentialLoop } from "../../loops/async.ts";
import { find, interleave, type Metrics, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { protectedServer, type Protected, type Tokens } from "./protected.ts";

const works = {
  open: "request without credentials",
  token: "request with a valid token",
  expired: "64 requests whose token has expired",
} as const;

/** The candidate that only sends again. */
const least = "refused and resent";
const parallel = 64;
/** How long the authorization server takes, in milliseconds. */
const tokenMs = 20;
/**
 * Most nanoseconds of the processor: what a valid token costs, and what 64 requests with expired
 * tokens cost beyond being refused and sent again. That is one refresh, in code that runs once an
 * hour and therefore is not compiled. Then the most token requests and failures.
 */
const limits = { tokenNs: 1000, expiredNs: 8_000_000, tokenRequests: 1, failures: 0 } as const;

/** Sends one request. */
type Send = () => Promise<void>;
type Library = (server: Protected, isAuthorized: boolean) => Promise<Send>;

const notification = { jsonrpc: "2.0", method: "notifications/progress", params: {} } as const;

const tenon: Library = async ({ servers, fetch }, isAuthorized) => {
  const { server } = servers;
  const auth = createOAuth({ server, grant: authorizationCode(servers.browser()), fetch });
  if (isAuthorized) {
    await auth.login();
  }
  const transport = new StreamableClientTransport(server, { fetch, ...(isAuthorized ? { auth } : {}) });
  const connection = await transport.connect();
  return () => connection.write(notification);
};

/** The provider of the official client, with everything in memory. */
function officialProvider(tokens: Tokens, clientId: string, issuer: string): OAuthClientProvider {
  let current: ReturnType<OAuthClientProvider["tokens"]> = { ...tokens, issuer };
  let codeVerifier = "";
  return {
    redirectUrl: "http://127.0.0.1:49152/callback",
    clientMetadata: { redirect_uris: ["http://127.0.0.1:49152/callback"] },
    clientInformation: () => ({ client_id: clientId, issuer }),
    tokens: () => current,
    saveTokens(saved) {
      current = saved;
    },
    redirectToAuthorization: () => {},
    saveCodeVerifier(saved) {
      codeVerifier = saved;
    },
    codeVerifier: () => codeVerifier,
    invalidateCredentials() {
      current = undefined;
    },
  };
}

const official: Library = async (server, isAuthorized) => {
  const clientId = "bench";
  const authProvider = isAuthorized
    ? officialProvider(await server.issue(clientId), clientId, server.servers.issuer)
    : undefined;
  const transport = new StreamableHTTPClientTransport(new URL(server.servers.server), {
    fetch: (input, init) => server.fetch(new URL(input), init ?? {}),
    ...(authProvider === undefined ? {} : { authProvider }),
  });
  await transport.start();
  return () => transport.send(notification);
};

/**
 * The least that any client does with an expired token: every request is refused, waits as long as
 * the authorization server takes, and is sent again. Nothing is parsed, shared or stored.
 */
const resending: Library = async (server) => {
  const issue = async (): Promise<string> => (await server.issue("bench")).access_token;
  let token = await issue();
  let renewal: Promise<boolean> | undefined;
  const renew = async (): Promise<boolean> => {
    await new Promise((resolve) => {
      setTimeout(resolve, tokenMs);
    });
    token = await issue();
    renewal = undefined;
    return true;
  };
  const auth: AuthProvider = {
    headers: () => ({ authorization: `Bearer ${token}` }),
    refused: () => (renewal ??= renew()),
  };
  const transport = new StreamableClientTransport(server.servers.server, { fetch: server.fetch, auth });
  const connection = await transport.connect();
  return () => connection.write(notification);
};

/** Sends 64 requests at a time, after the server has forgotten all access tokens. */
async function refresh(library: Library): Promise<Metrics> {
  const server = protectedServer();
  const { servers } = server;
  const send = await library(server, true);
  await send();
  servers.tokens.expireAll();
  servers.script.always("token", { delayMs: tokenMs });
  const before = servers.of("token").length;
  const used = process.cpuUsage();
  const started = performance.now();
  const outcomes = await Promise.allSettled(Array.from({ length: parallel }, send));
  const { user, system } = process.cpuUsage(used);
  return {
    ns: (performance.now() - started) * 1e6,
    cpuNs: (user + system) * 1000,
    tokenRequests: servers.of("token").length - before,
    failures: outcomes.filter(({ status }) => status === "rejected").length,
  };
}

/** A server that accepts every request. */
function openServer(server: Protected): Protected {
  const accepted = new Response(null, { status: 202 });
  return { ...server, fetch: () => Promise.resolve(accepted) };
}

const candidates = { tenon, official };

/** What authorization costs a client. */
export const client: Suite = {
  name: "auth-client",
  description: "a client with authorization: a valid token, and 64 requests whose token has expired",
  async run({ rounds, wants, log }) {
    const all: Subject[] = [];
    for (const [candidate, library] of Object.entries(candidates)) {
      const closed = protectedServer();
      const open = openServer(closed);
      let isLoggedIn = false;
      // Logins need the server; requests that are measured need not.
      const either: Protected = {
        ...closed,
        fetch: (input, init) => (isLoggedIn ? open : closed).fetch(input, init),
      };
      const withToken = await library(either, true);
      isLoggedIn = true;
      const without = await library(open, false);
      all.push(
        { candidate, work: works.open, sample: sequentialLoop(without, { calls: 20_000 }) },
        { candidate, work: works.token, sample: sequentialLoop(withToken, { calls: 20_000 }) },
        { candidate, work: works.expired, sample: () => refresh(library) },
      );
    }
    all.push({ candidate: least, work: works.expired, sample: () => refresh(resending) });
    const measurements = await interleave(
      all.filter(({ work }) => wants(work)),
      { rounds, onRound: (round, of) => log(`round ${round} of ${of}`) },
    );
    const median = (candidate: string, work: string, metric: string): number | undefined =>
      find(measurements, { candidate, work, metric })?.median;
    const costOf = (candidate: string): number | undefined => {
      const [bare, token] = [works.open, works.token].map((work) => median(candidate, work, "cpuNs"));
      return bare === undefined || token === undefined ? undefined : token - bare;
    };
    const budgets: Budget[] = [];
    const hold = (name: string, actual: number | undefined, limit: number): void => {
      if (actual !== undefined) {
        budgets.push({ name, actual, limit });
      }
    };
    hold(`${works.token}, CPU ns beyond one without`, costOf("tenon"), limits.tokenNs);
    const [expired, resent] = ["tenon", least].map((each) => median(each, works.expired, "cpuNs"));
    hold(
      `${works.expired}, CPU ns beyond being refused and resent`,
      expired === undefined || resent === undefined ? undefined : expired - resent,
      limits.expiredNs,
    );
    hold(
      `${works.expired}, token requests`,
      median("tenon", works.expired, "tokenRequests"),
      limits.tokenRequests,
    );
    hold(`${works.expired}, failures`, median("tenon", works.expired, "failures"), limits.failures);
    const show = (format: (value: number) => string, value: number | undefined): string =>
      value === undefined ? "–" : format(value);
    const columns = [...Object.keys(candidates), least];
    const row = (
      name: string,
      format: (value: number) => string,
      of: (candidate: string) => number | undefined,
    ) => [name, ...columns.map((candidate) => show(format, of(candidate)))];
    return {
      tables: [
        {
          title: "a client with authorization",
          columns: ["", "tenon", "official 2", least],
          rows: [
            row(`${works.open}, CPU`, formatTime, (each) => median(each, works.open, "cpuNs")),
            row(`${works.token}, CPU`, formatTime, (each) => median(each, works.token, "cpuNs")),
            row(`${works.expired}, ms with ${tokenMs} ms for the authorization server`, formatTime, (each) =>
              median(each, works.expired, "ns"),
            ),
            row(`${works.expired}, CPU`, formatTime, (each) => median(each, works.expired, "cpuNs")),
            row(`${works.expired}, token requests`, formatCount, (each) =>
              median(each, works.expired, "tokenRequests"),
            ),
            row(`${works.expired}, failures`, formatCount, (each) => median(each, works.expired, "failures")),
          ],
        },
      ],
      measurements,
      budgets,
      notes: [],
    };
  },
};
