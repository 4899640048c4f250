import { describe, expect, test } from "vitest";

import { namesProxy } from "../src/client/platform/names-proxy.ts";
import { environmentProxies, proxyCredentials, proxyFor } from "../src/client/platform/proxies.ts";

const of = (env: Record<string, string>, url: string): string | undefined =>
  namesProxy(env) ? proxyFor(environmentProxies(env), new URL(url))?.href : undefined;
const both = { HTTP_PROXY: "http://h:1", HTTPS_PROXY: "http://s:2" };

describe("the proxies of the environment", () => {
  test.each<[string, Record<string, string>, string, string | undefined]>([
    ["none", {}, "http://a.example", undefined],
    ["http for http", both, "http://a.example/x", "http://h:1/"],
    ["https for https", both, "https://a.example/x", "http://s:2/"],
    ["no proxy of http for https", { HTTP_PROXY: "http://h:1" }, "https://a.example", undefined],
    ["lower case first", { ...both, http_proxy: "http://l:3" }, "http://a.example", "http://l:3/"],
    ["an empty name in lower case turns one off", { ...both, http_proxy: "" }, "http://a.example", undefined],
    ["without a scheme", { HTTPS_PROXY: "proxy.corp:3128" }, "https://a.example", "http://proxy.corp:3128/"],
    ["loopback as any other server", both, "http://127.0.0.1:3000/mcp", "http://h:1/"],
    ["none of a CGI request", { ...both, REQUEST_METHOD: "GET" }, "http://a.example", undefined],
    [
      "lower case of a CGI program",
      { http_proxy: "http://l:3", REQUEST_METHOD: "GET" },
      "http://a.example",
      "http://l:3/",
    ],
    ["turned off", { ...both, NODE_USE_ENV_PROXY: "0" }, "http://a.example", undefined],
    ["turned on", { ...both, NODE_USE_ENV_PROXY: "1" }, "http://a.example", "http://h:1/"],
  ])("%s", (_, env, url, expected) => {
    expect(of(env, url)).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ["*", "http://a.example", true],
    ["a.example", "http://a.example", true],
    ["a.example", "http://b.a.example", true],
    ["a.example", "http://aa.example", false],
    [".a.example", "http://b.a.example", true],
    ["*.a.example", "http://b.a.example", true],
    ["A.EXAMPLE", "http://a.example", true],
    ["a.example.", "http://a.example", true],
    ["a.example", "http://a.example.", true],
    ["x, a.example", "http://a.example", true],
    ["x a.example", "http://a.example", true],
    ["a.example:8080", "http://a.example:8080", true],
    ["a.example:8080", "http://a.example", false],
    ["a.example:80", "http://a.example", true],
    ["a.example:443", "https://a.example", true],
    ["127.0.0.1", "http://127.0.0.1:3000", true],
    ["127.0.0.1:3000", "http://127.0.0.1:3000", true],
    ["10.0.0.0/8", "http://10.1.2.3", true],
    ["10.0.0.0/8", "http://11.1.2.3", false],
    ["10.0.0.1-10.0.0.9", "http://10.0.0.5", true],
    ["10.0.0.1-10.0.0.9", "http://10.0.0.10", false],
    ["[::1]", "http://[::1]:3000", true],
    ["::1", "http://[::1]:3000", true],
    ["[::1]:3000", "http://[::1]:3000", true],
    ["[::1]:3001", "http://[::1]:3000", false],
    ["fd00::/8", "http://[fd12::1]", true],
    ["localhost", "http://localhost:3000", true],
    ["my-host.example", "http://my-host.example", true],
    ["", "http://a.example", false],
    [",,", "http://a.example", false],
  ])("NO_PROXY=%s and %s: bypassed is %s", (list, url, isBypassed) => {
    expect(of({ ...both, NO_PROXY: list }, url) === undefined).toBe(isBypassed);
    expect(of({ ...both, no_proxy: list, NO_PROXY: "other" }, url) === undefined).toBe(isBypassed);
  });

  test("only a proxy that would be used has to be a URL of http or https", () => {
    const env = { HTTP_PROXY: "http://h:1", HTTPS_PROXY: "socks5://user:pass@s:2" };
    expect(of(env, "http://a.example")).toBe("http://h:1/");
    expect(() => of(env, "https://a.example")).toThrow(/HTTPS_PROXY must be .* got the scheme socks5:/);
    expect(() => of({ HTTP_PROXY: "http://" }, "http://a.example")).toThrow("HTTP_PROXY must be");
  });

  test("credentials are decoded, and none are sent that the URL does not have", () => {
    const basic = `Basic ${Buffer.from("ada:s#cret").toString("base64")}`;
    expect(proxyCredentials(new URL("http://ada:s%23cret@h:1"))).toEqual({ "proxy-authorization": basic });
    expect(proxyCredentials(new URL("http://h:1"))).toEqual({});
    const percent = `Basic ${Buffer.from("ada:50%off").toString("base64")}`;
    expect(proxyCredentials(new URL("http://ada:50%off@h:1"))).toEqual({ "proxy-authorization": percent });
  });
});
