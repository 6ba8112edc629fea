import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("a traceparent that is parsed and formatted stays the same", () => {
  const sent = `00-${TRACE}-${SPAN}-01`;
  expect(parseTraceparent(sent)).toEqual({ traceId: TRACE, spanId: SPAN });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ traceId: TRACE, spanId: SPAN });
  expect(formatTraceparent({ traceId: TRACE, spanId: SPAN })).toBe(sent);
});

test("the known part of a later version's traceparent is parsed", () => {
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes-next`)).toEqual({ traceId: TRACE, spanId: SPAN });
});

test("an invalid traceparent is ignored", () => {
  for (const sent of [
    undefined,
    ["00", TRACE],
    "",
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-${"a".repeat(1_000)}`,
    "12.345.678-5",
  ])
    expect(parseTraceparent(sent)).toBeNull();
});

test("a parsed traceparent always has the shape of ids, whatever was sent", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)),
      (sent) => {
        const read = parseTraceparent(sent);
        if (read !== null) expect(`${read.traceId}${read.spanId}`).toMatch(/^[0-9a-f]{48}$/);
      },
    ),
  );
});
