import ipaddr from "ipaddr.js";

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
