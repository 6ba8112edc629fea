import { expect, it } from "vitest";
import { networkOf, perNetwork } from "./network.ts";

it.each([
  "2001:db8::1",
  "2001:db8::",
  "2001:DB8:0:0:1:2:3:4",
  "2001:0db8:0000:0000:ffff:ffff:ffff:ffff",
  "2001:db8::203.0.113.7",
])("the network of %s is its /64", (address) => {
  expect(networkOf(address)).toBe("2001:db8:0:0::/64");
});

it.each(["2001:db8:0:1::1", "2001:db9::1", "2001::db8:1:2:3:4"])("%s is outside that /64", (address) => {
  expect(networkOf(address)).not.toBe(networkOf("2001:db8::1"));
});

it.each(["203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107"])(
  "the network of %s is the single IPv4 address",
  (address) => {
    expect(networkOf(address)).toBe("203.0.113.7");
  },
);

it("IPv4 addresses written as IPv6 belong to separate networks", () => {
  expect(networkOf("::ffff:203.0.113.8")).not.toBe(networkOf("::ffff:203.0.113.7"));
});

it.each(["", "unknown", "203.0.113", "2001:db8", "fe80:::1"])(
  "text that is not an address is its own network: %j",
  (text) => {
    expect(networkOf(text)).toBe(text);
  },
);

it("a rate limit by address counts by network", () => {
  const limit = { name: "recovery.address", requestsMax: 120, windowSeconds: 3_600 };
  expect(perNetwork("recovery.address", "2001:db8::1", 120)).toEqual({ ...limit, key: "2001:db8:0:0::/64" });
});
