import { expect, it } from "vitest";
import { type DeliberateDifference, notShown, unexplained } from "./deliberate-differences.ts";

const OTHER_SUBJECT: DeliberateDifference = {
  lines: /^mail (Pagaste|Recibimos tu pago)$/,
  scene: "paid",
  deploy: { at: 3, isAtOnce: true },
  why: "The subject is another.",
};

it("a deliberate difference explains only its own lines", () => {
  expect(unexplained(["mail Pagaste", "mail Pagaste dos veces", "order a paid"], [OTHER_SUBJECT])).toEqual([
    "mail Pagaste dos veces",
    "order a paid",
  ]);
});

it("a deliberate difference that its own scene does not show is reported", () => {
  expect(notShown(new Map([["paid", ["mail Recibimos tu pago"]]]), [OTHER_SUBJECT])).toEqual([]);
  expect(notShown(new Map([["refunded", ["mail Recibimos tu pago"]]]), [OTHER_SUBJECT])).toEqual([OTHER_SUBJECT]);
});
