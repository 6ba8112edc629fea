import ipaddr from "ipaddr.js";
import type { RateLimit } from "./rate-limit.ts";

const HOUR_SECONDS = 3_600;
/** How many groups of an IPv6 address name its network: a /64 belongs to one customer. */
const NETWORK_GROUPS = 4;

/**
 * What counts as one caller in limits per address: an IPv4 address (also when mapped into IPv6), or an IPv6 /64,
 * however the address is abbreviated. A text that is not an address is returned as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

/** A limit of requests per hour and network. Choose it generously: a whole clinic may share one address. */
export function perNetwork(name: string, address: string, requestsMax: number): RateLimit {
  return { name, key: networkOf(address), requestsMax, windowSeconds: HOUR_SECONDS };
}
