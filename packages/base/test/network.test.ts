import { expect, test } from "vitest";

import { networkOfAddress } from "../src/network.ts";

test.each([
  ["1.2.3.4", ["1.2.3.4", "1.2.3.4:5678", "001.2.3.4", "::ffff:1.2.3.4", "::ffff:102:304"]],
  ["1.2.3.4", ["0:0:0:0:0:ffff:1.2.3.4", "::FFFF:0102:0304", "[::ffff:1.2.3.4]:80", " 1.2.3.4 "]],
  ["8193:3512:0:0", ["2001:db8::1", "2001:0DB8:0:0:9::2", "[2001:db8::1]", "[2001:db8::1]:443"]],
  ["65152:0:0:0", ["fe80::1%eth0", "fe80::2", "FE80:0::3%1"]],
  ["0:0:0:0", ["::1", "::"]],
  ["100:65435:0:0", ["64:ff9b::1.2.3.4"]],
])("the network %s is that of every spelling of its addresses", (network, addresses) => {
  for (const address of addresses) {
    expect(networkOfAddress(address), address).toBe(network);
  }
});

test("strangers whose addresses are mapped do not share a network", () => {
  expect(networkOfAddress("::ffff:102:304")).not.toBe(networkOfAddress("::ffff:102:305"));
});

test.each([
  "",
  "unknown",
  "_hidden",
  "1.2.3",
  "1.2.3.256",
  "1.2.3.4, 5.6.7.8",
  "a:b",
  ":::",
  "1::2::3",
  "::1]/x",
])("%j is no address, and gets no network", (text) => {
  expect(networkOfAddress(text)).toBeUndefined();
});
