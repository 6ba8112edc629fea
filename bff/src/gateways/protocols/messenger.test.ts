import { expect, it } from "vitest";
import { messengerProtocol } from "./messenger.ts";

const { input } = messengerProtocol.send;
const plain = { to: "+56912345678", text: "Recibimos tu pago de $12.000." };
const templated = {
  ...plain,
  template: { name: "charged", language: "es-CL" },
  values: { clinic: "Clínica Los Aromos", amount: "$30.800", cardEnding: "6623" },
};

it("a message without a template, as in earlier versions of the protocol, is valid", () => {
  expect(input.parse(plain)).toEqual(plain);
});

it("a message may name its template and the values to fill it with", () => {
  expect(input.parse(templated)).toEqual(templated);
});

it.each([
  ["an empty value, which no template takes", { values: { amount: "" } }],
  ["a value longer than a message", { values: { amount: "1".repeat(321) } }],
  ["a name that is not an identifier", { values: { "{{1}}": "$1" } }],
  ["a language that the service does not write", { template: { name: "charged", language: "pt" } }],
])("%s is refused", (_name, part) => {
  expect(input.safeParse({ ...templated, ...part }).success).toBe(false);
});
