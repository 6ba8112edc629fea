import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clp, clp } from "bff/contract/vocabulary/clp";
import { expect, it } from "vitest";
import { paidOrder } from "../../gallery/recorded-answers.ts";
import { totalOf } from "./receipt.tsx";

/** The lives that were worked by hand and in which nothing is given back: each peso of their parts is paid in the end. */
const document = readFileSync(join(import.meta.dirname, "../../../../bff/docs/money.md"), "utf8");
const pesos = (text: string) => clp(Number(text.replaceAll(".", "")));
const lives = document.split("\n").flatMap((line) => {
  const [number = "", happens = "", parts = ""] = line
    .split("|")
    .slice(1)
    .map((cell) => cell.trim());
  const [first, deferred, commission] = [...parts.matchAll(/[\d.]+/g)].map(([sum]) => pesos(sum));
  const isPaid = /^pay \w+ [\d.]+; collect(?:; paid_otherwise [\d.]+)?$/.test(happens);
  if (!isPaid || first === undefined || deferred === undefined || commission === undefined) return [];
  return [{ number, happens, first, deferred, commission, isOtherwise: happens.includes("paid_otherwise") }];
});

const sum = (...amounts: readonly Clp[]) => clp(amounts.reduce((total, amount) => total + amount, 0));

it("reads lives of the document", () => expect(lives.length).toBeGreaterThan(2));

it.each(lives)("of life $number ($happens) the receipt's total is all that was paid", (life) => {
  const { first, deferred, commission, isOtherwise } = life;
  const order = paidOrder();
  const [today, later] = order.plan.data.installments;
  const installments: typeof order.plan.data.installments = [
    { ...today, amount: first, status: "captured" },
    { ...later, amount: deferred, status: "collected" },
  ];
  const plan = {
    ...order.plan,
    data: { installments, commission: { ...order.plan.data.commission, amount: commission } },
  };
  const charged = sum(deferred, commission);
  const paid = isOtherwise
    ? { captured_amount: first, paid_otherwise: charged }
    : { captured_amount: sum(first, charged) };
  expect(totalOf({ ...order, plan, ...paid })).toBe(sum(first, deferred, commission));
});
