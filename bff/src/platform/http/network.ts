import ipaddr from "ipaddr.js";
import type { RateLimit } from "./rate-limit.ts";

const HOUR_SECONDS = 3_600;
/** Groups of an IPv6 address that name a network: a /64, of which every address is one customer's. */
const NETWORK_GROUPS = 4;

/**
 * What counts as one caller in every limit by address: an IPv4 address, also where it is written inside an IPv6 one, or an
 * IPv6 /64, however its addresses are shortened. A text that is no address is its own.
 */
export function networkOf(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

/** Requests from one network in an hour; to be generous, since a whole clinic shares an address. */
export function perNetwork(name: string, address: string, requestsMax: number): RateLimit {
  return { name, key: networkOf(address), requestsMax, windowSeconds: HOUR_SECONDS };
}
