import ipaddr from "ipaddr.js";
import type { RateLimit } from "./rate-limit.ts";

const HOUR_SECONDS = 3_600;
/** How many groups of an IPv6 address name its network: a /64 belongs to one customer. */
const NETWORK_GROUPS = 4;

/**
 * One caller for limits per address: an IPv4 address (also if mapped into IPv6), or an IPv6 /64, however the address is
 * abbreviated. Text that is not an address is returned unchanged.
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

/**
 * Whether an IP address, written as text, belongs to the public internet. An IPv4 address mapped into IPv6
 * (`::ffff:10.0.0.1`) is judged as IPv4. Of IPv6 only 2000::/3 is public, except its reserved ranges. A text that is
 * not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.range() !== "unicast") return false;
  return !(parsed instanceof ipaddr.IPv6) || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Whether an IP address, written as text, is this machine itself (127.0.0.0/8 or ::1, mapped or not). */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === "loopback";
}

function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = address.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}
