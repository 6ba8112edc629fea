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

/** The lives with one refund that gives back what was not charged yet, or what was charged: `told` says what it has moved. */
const refundedLives = document.split("\n").flatMap((line) => {
  const [number = "", happens = "", parts = "", told = "", kept = "", books = ""] = line
    .split("|")
    .slice(1)
    .map((cell) => cell.trim());
  const matched = /^pay credit [\d.]+(?: taxed)?; (collect; |early; )?refund (?:[\d.]+|all)$/.exec(happens);
  if (matched === null) return [];
  const [first = clp(0), deferred = clp(0), commission = clp(0)] = [...parts.matchAll(/[\d.]+/g)].map(([sum]) =>
    pesos(sum),
  );
  const moved = (word: string) => {
    const [, amount = "0", within = "0"] = new RegExp(`\\b${word} ([\\d.]+) \\(([\\d.]+)\\)`).exec(told) ?? [];
    return { amount: pesos(amount), price: clp(pesos(amount) - pesos(within)) };
  };
  const [, clinic = ""] = /^clinic ([\d.]+)/.exec(books) ?? [];
  const isCharged = matched[1] !== undefined;
  return [{ number, happens, first, deferred, commission, isCharged, moved, kept: pesos(kept), clinic: pesos(clinic) }];
});

it("reads lives of the document in which something goes back", () => expect(refundedLives.length).toBeGreaterThan(10));

it.each(refundedLives)("of life $number ($happens) the receipt leaves what clinic and commission keep", (life) => {
  const { first, deferred, commission, isCharged, moved, kept, clinic } = life;
  const order = paidOrder();
  const [today, later] = order.plan.data.installments;
  const isLeft = moved("left").amount > 0;
  const installments: typeof order.plan.data.installments = [
    { ...today, amount: first, status: "captured" },
    { ...later, amount: deferred, status: isCharged ? "collected" : isLeft ? "scheduled" : "cancelled" },
  ];
  const plan = { ...order.plan, data: { installments, commission: { ...order.plan.data.commission, amount: kept } } };
  const returned = sum(moved("deferred").amount, moved("first").amount);
  const paid = {
    captured_amount: isCharged ? sum(first, deferred, commission) : first,
    deferred_cancelled: moved("off").price,
    returned_amount: returned,
  };
  expect(totalOf({ ...order, plan, ...paid }) - returned).toBe(clinic + kept);
});
