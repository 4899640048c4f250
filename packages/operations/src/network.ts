import { networkOfAddress } from "@tenon/base";

/**
 * Returns the network of the address of a sender, as {@link networkOfAddress} does.
 *
 * @throws `TypeError` for a string that is not an IP address. Senders could choose any number of
 *   such strings, or share one by chance.
 */
export function networkOfSender(address: string): string {
  const network = networkOfAddress(address);
  if (network === undefined) {
    throw new TypeError(
      `The address of a sender must be an IP address, such as 192.0.2.1 or 2001:db8::1; got ${JSON.stringify(address.slice(0, 64))}.`,
    );
  }
  return network;
}
