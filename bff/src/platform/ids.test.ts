import { describe, expect, it } from "vitest";
import { orderedId, seededIds, systemIds } from "./ids.ts";

const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each([
  ["system", systemIds],
  ["seeded", seededIds("seed")],
])("%s ids", (_name, ids) => {
  it("are version-4 UUIDs, all different", () => {
    const made = Array.from({ length: 500 }, () => ids.uuid());
    for (const id of made) expect(id).toMatch(version4);
    expect(new Set(made).size).toBe(500);
  });

  it("are random in all but the six bits that make a UUID of version 4", () => {
    const made = Array.from({ length: 500 }, () => BigInt(`0x${ids.uuid().replaceAll("-", "")}`));
    const differing = made.reduce((bits, id) => bits | (id ^ (made[0] ?? id)), 0n);
    expect(differing.toString(2).replaceAll("0", "")).toHaveLength(122);
  });

  it("have the requested number of bytes and digits", () => {
    expect(ids.bytes(0)).toHaveLength(0);
    expect(ids.bytes(33)).toHaveLength(33);
    expect(ids.digits(6)).toMatch(/^\d{6}$/);
  });

  it("can have any digit at any place, including leading zeros", () => {
    const first = new Set(Array.from({ length: 500 }, () => ids.digits(6)[0]));
    expect(first.size).toBe(10);
  });
});

it("an ordered id is a version-7 UUID that sorts by time and is otherwise random", () => {
  const ids = seededIds("ordered");
  const moments = [
    "1970-01-01T00:00:00.000Z",
    "2026-11-24T12:00:00.000Z",
    "2026-11-24T12:00:00.001Z",
    "2199-01-01T00:00:00Z",
  ];
  const made = moments.map((at) => orderedId(ids.uuid(), new Date(at)));
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(made.toSorted()).toEqual(made);
  expect(Number.parseInt(made[1]?.replaceAll("-", "").slice(0, 12) ?? "", 16)).toBe(Date.parse(moments[1] ?? ""));
  const random = ids.uuid();
  expect(orderedId(random, new Date(0)).slice(15)).toBe(random.slice(15));
});

it("the same seed gives the same ids in the same order, and a different seed gives different ones", () => {
  const [a, b, c] = [seededIds(7), seededIds(7), seededIds(8)];
  const fromA = [a.uuid(), Buffer.from(a.bytes(40)).toString("hex"), a.digits(6), a.uuid()];
  const fromB = [b.uuid(), Buffer.from(b.bytes(40)).toString("hex"), b.digits(6), b.uuid()];
  expect(fromB).toEqual(fromA);
  expect(c.uuid()).not.toBe(fromA[0]);
});

it("bytes already handed out do not change when more are drawn", () => {
  const ids = seededIds("x");
  const first = ids.bytes(8);
  const copy = Buffer.from(first);
  ids.bytes(100);
  expect(Buffer.from(first)).toEqual(copy);
});
