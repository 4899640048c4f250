import { describe, expect, test } from "vitest";

import { isPrivateAddress } from "../src/client/discover/address.ts";

/**
 * The special-purpose addresses of the registries of IANA (2025), with multicast: a first and a
 * last address of each range, and whether it may be connected to.
 *
 * @source RFC 6890; iana-ipv4-special-registry, iana-ipv6-special-registry
 */
const v4: readonly (readonly [string, string, string, boolean])[] = [
  ["this network", "0.0.0.0", "0.255.255.255", false],
  ["private use", "10.0.0.0", "10.255.255.255", false],
  ["shared address space", "100.64.0.0", "100.127.255.255", false],
  ["loopback", "127.0.0.0", "127.255.255.255", false],
  ["link local", "169.254.0.0", "169.254.255.255", false],
  ["private use", "172.16.0.0", "172.31.255.255", false],
  ["IETF protocol assignments", "192.0.0.0", "192.0.0.255", false],
  ["documentation (TEST-NET-1)", "192.0.2.0", "192.0.2.255", false],
  ["AS112", "192.31.196.0", "192.31.196.255", true],
  ["AMT", "192.52.193.0", "192.52.193.255", true],
  ["6to4 relay anycast", "192.88.99.0", "192.88.99.255", false],
  ["private use", "192.168.0.0", "192.168.255.255", false],
  ["direct delegation AS112", "192.175.48.0", "192.175.48.255", true],
  ["benchmarking", "198.18.0.0", "198.19.255.255", false],
  ["documentation (TEST-NET-2)", "198.51.100.0", "198.51.100.255", false],
  ["documentation (TEST-NET-3)", "203.0.113.0", "203.0.113.255", false],
  ["multicast", "224.0.0.0", "239.255.255.255", false],
  ["reserved", "240.0.0.0", "255.255.255.254", false],
  ["limited broadcast", "255.255.255.255", "255.255.255.255", false],
];
const all = "ffff:ffff:ffff:ffff";
const v6: readonly (readonly [string, string, string, boolean])[] = [
  ["loopback", "::1", "::1", false],
  ["unspecified", "::", "::", false],
  ["IPv4-mapped", "::ffff:10.0.0.1", "::ffff:127.255.255.255", false],
  ["IPv4-compatible", "::10.0.0.1", "::169.254.169.254", false],
  ["IPv4-translated", "::ffff:0:10.0.0.1", "::ffff:0:127.0.0.1", false],
  ["IPv4-IPv6 translation", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", false],
  ["IPv4-IPv6 translation, local", "64:ff9b:1::", `64:ff9b:1:ffff:${all}`, false],
  ["discard only", "100::", `100::${all}`, false],
  ["dummy prefix", "100:0:0:1::", `100:0:0:1:${all}`, false],
  ["IETF protocol assignments", "2001::", `2001:1ff:ffff:ffff:${all}`, false],
  ["Teredo", "2001::", `2001:0:ffff:ffff:${all}`, false],
  ["benchmarking", "2001:2::", `2001:2:0:ffff:${all}`, false],
  ["ORCHID", "2001:10::", `2001:1f:ffff:ffff:${all}`, false],
  ["ORCHIDv2", "2001:20::", `2001:2f:ffff:ffff:${all}`, false],
  ["drone remote identification", "2001:30::", `2001:3f:ffff:ffff:${all}`, false],
  ["documentation", "2001:db8::", `2001:db8:ffff:ffff:${all}`, false],
  ["6to4 of private addresses", "2002:a00:1::", "2002:a9fe:a9fe::1", false],
  ["direct delegation AS112", "2620:4f:8000::", `2620:4f:8000:ffff:${all}`, true],
  ["documentation", "3fff::", `3fff:fff:ffff:ffff:${all}`, false],
  ["SRv6 SIDs", "5f00::", `5f00:ffff:ffff:ffff:${all}`, false],
  ["unique local", "fc00::", `fdff:ffff:ffff:ffff:${all}`, false],
  ["link local", "fe80::", `febf:ffff:ffff:ffff:${all}`, false],
  ["site local", "fec0::", `feff:ffff:ffff:ffff:${all}`, false],
  ["multicast", "ff00::", `ffff:ffff:ffff:ffff:${all}`, false],
  ["ISATAP of private addresses", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1", false],
  ["what nobody has assigned", "200::", `1fff:ffff:ffff:ffff:${all}`, false],
  ["what nobody has assigned", "4000::", `5eff:ffff:ffff:ffff:${all}`, false],
];

const hostOf = (address: string): string =>
  new URL(`http://${address.includes(":") ? `[${address}]` : address}`).hostname;

describe("special-purpose addresses (R-790)", () => {
  test.each([...v4, ...v6])("%s: %s to %s", (_, first, last, isReachable) => {
    for (const address of [first, last]) {
      expect(isPrivateAddress(hostOf(address)), address).toBe(!isReachable);
    }
  });

  test.each(v4)("%s in IPv6: %s to %s", (_, first, last, isReachable) => {
    for (const address of [first, last]) {
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
      for (const form of [
        `::ffff:${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2606:4700::5efe:${high}:${low}`,
      ]) {
        expect(isPrivateAddress(hostOf(form)), form).toBe(!isReachable);
      }
    }
  });

  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "3ffe::1",
    "3fff:1000::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
  ])("%s is public", (address) => {
    expect(isPrivateAddress(hostOf(address))).toBe(false);
  });
});
