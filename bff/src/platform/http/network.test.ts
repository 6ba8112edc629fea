import { expect, it } from "vitest";
import { networkOf, perNetwork } from "./network.ts";

it.each([
  "2001:db8::1",
  "2001:db8::",
  "2001:DB8:0:0:1:2:3:4",
  "2001:0db8:0000:0000:ffff:ffff:ffff:ffff",
  "2001:db8::203.0.113.7",
])("%s belongs to the /64 that its customer owns", (address) => {
  expect(networkOf(address)).toBe("2001:db8:0:0::/64");
});

it.each(["2001:db8:0:1::1", "2001:db9::1", "2001::db8:1:2:3:4"])("%s belongs to another network", (address) => {
  expect(networkOf(address)).not.toBe(networkOf("2001:db8::1"));
});

it.each(["203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107"])("%s is one IPv4 address", (address) => {
  expect(networkOf(address)).toBe("203.0.113.7");
});

it("keeps IPv4 addresses that are written as IPv6 separate", () => {
  expect(networkOf("::ffff:203.0.113.8")).not.toBe(networkOf("::ffff:203.0.113.7"));
});

it.each(["", "unknown", "203.0.113", "2001:db8", "fe80:::1"])(
  "a text that is no address is counted under itself: %j",
  (text) => {
    expect(networkOf(text)).toBe(text);
  },
);

it("a limit by address counts by network", () => {
  const limit = { name: "recovery.address", requestsMax: 120, windowSeconds: 3_600 };
  expect(perNetwork("recovery.address", "2001:db8::1", 120)).toEqual({ ...limit, key: "2001:db8:0:0::/64" });
});
