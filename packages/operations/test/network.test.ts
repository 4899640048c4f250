import { expect, test } from "vitest";

import { networkOfSender } from "../src/network.ts";

test("an address that is not an IP address is refused with an example", () => {
  expect(networkOfSender("[2001:db8::1]:443")).toBe("8193:3512:0:0");
  expect(() => networkOfSender("unknown")).toThrow(
    'must be an IP address, such as 192.0.2.1 or 2001:db8::1; got "unknown"',
  );
});
