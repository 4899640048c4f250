import { describe, expect, test } from "vitest";

import { isAuthError } from "../src/client.ts";
import { isPrivateAddress } from "../src/client/discover/address.ts";
import { setUp } from "./setup.ts";

const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  return isAuthError(outcome) ? outcome.code : outcome;
};

const hostile = [
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "ms-msdt:/id",
  "vscode://x/y",
  "\\\\evil\\share",
  "//evil.example/x",
  "https://user:pass@as.example/authorize",
  "https://as.example/authorize#x",
  "https://as.example/\r\nSet-Cookie:x",
  "https://as.example/\tx",
  'https://as.example/"x"',
  "https://as.example/$(calc)",
  "https://as.example/`calc`",
  "https://as.example/'x'",
  "https://аs.example/authorize",
  "http://as.example/authorize",
  `https://as.example/${"x".repeat(3000)}`,
];

describe("A-013, A-014: URLs of endpoints (R-752, R-791)", () => {
  test.each(["authorization_endpoint", "token_endpoint", "registration_endpoint"])(
    "no hostile %s is used, and no browser is opened",
    async (name) => {
      for (const url of hostile) {
        const { servers, provider, events } = setUp({ metadata: { [name]: url } });
        expect(await codeOf(servers.call(provider)), url).toBe("INSECURE_URL");
        expect([...servers.of("authorize"), ...servers.of("token"), ...servers.of("register")]).toEqual([]);
        expect(events.some(({ type }) => type === "visit")).toBe(false);
      }
    },
  );

  test("a hostile issuer or address of metadata is not requested", async () => {
    for (const url of hostile) {
      const { servers, provider } = setUp({ resourceMetadata: { authorization_servers: [url] } });
      expect(await codeOf(servers.call(provider)), url).toBe("INSECURE_URL");
    }
  });

  test("http is allowed on loopback if the MCP server is on loopback", async () => {
    const { servers, provider } = setUp({
      server: "http://localhost:3000/mcp",
      issuer: "http://127.0.0.1:4000",
    });
    expect((await servers.call(provider)).status).toBe(200);
    const mixed = setUp({ server: "https://mcp.example/mcp", issuer: "http://127.0.0.1:4000" });
    expect(await codeOf(mixed.servers.call(mixed.provider))).toBe("INSECURE_URL");
  });
});

describe("A-015: private addresses (R-790)", () => {
  const addresses = [
    "https://169.254.169.254",
    "https://10.0.0.1",
    "https://192.168.1.1",
    "https://172.16.9.9",
    "https://100.64.0.1",
    "https://0.0.0.0",
    "https://2852039166",
    "https://0xA9FEA9FE",
    "https://0251.0376.0251.0376",
    "https://127.1",
    "https://[::1]",
    "https://[::ffff:169.254.169.254]",
    "https://[64:ff9b::a9fe:a9fe]",
    "https://[2002:a9fe:a9fe::1]",
    "https://[fe80::1]",
    "https://[fd00::1]",
    "https://localhost",
    "https://localhost.",
    "https://a.localhost",
    "https://224.0.0.1",
  ];

  test.each(addresses)(
    "an issuer at %s is not connected to by the client of a public server",
    async (issuer) => {
      const { servers, provider } = setUp({ issuer });
      expect(await codeOf(servers.call(provider))).toBe("ADDRESS_REFUSED");
      expect(servers.of("server-metadata")).toEqual([]);
    },
  );

  test.each([
    "8.8.8.8",
    "172.32.0.1",
    "example.com",
    "[2606:4700::1111]",
    "100.128.0.1",
    "[::ffff:8.8.8.8]",
    "11.0.0.1",
  ])("%s is public", (host) => {
    expect(isPrivateAddress(new URL(`https://${host}`).hostname)).toBe(false);
  });

  test("the client of a private server may use private addresses, and a guard decides instead if it is given", async () => {
    const own = setUp({ server: "https://10.0.0.5/mcp", issuer: "https://10.0.0.6" });
    expect((await own.servers.call(own.provider)).status).toBe(200);
    const guarded = setUp(
      {},
      {
        guard: ({ host }) => {
          if (host === "as.example") {
            throw new Error("not this one");
          }
        },
      },
    );
    expect(await codeOf(guarded.servers.call(guarded.provider))).toBe("ADDRESS_REFUSED");
  });
});

test("A-018: a redirect of the token endpoint is not followed: code and credentials are sent once", async () => {
  for (const location of ["https://evil.example/token", "https://as.example/token2"]) {
    const { servers, provider } = setUp();
    servers.script.always("token", { status: 307, body: "", headers: { location } });
    expect(await codeOf(servers.call(provider))).toBe("AUTH_TEMPORARY");
    expect(servers.of("token")).toHaveLength(1);
    expect(servers.requests.some(({ url }) => url.href === location)).toBe(false);
  }
});
