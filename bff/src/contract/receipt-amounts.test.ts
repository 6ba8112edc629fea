import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Plan } from "./orders.ts";
import { receiptAmounts } from "./receipt-amounts.ts";
import { type Clp, clp, ZERO } from "./vocabulary/clp.ts";

/** The lives without refunds that were computed by hand. Each peso of their parts is paid in the end. */
const list = readFileSync(join(import.meta.dirname, "../../test/fixtures/lives.tsv"), "utf8")
  .trimEnd()
  .split("\n");
const pesos = (text: string) => clp(Number(text.replaceAll(".", "")));
const lives = list.flatMap((line) => {
  const [number = "", happens = "", parts = ""] = line.split("\t");
  const [first, deferred, commission] = [...parts.matchAll(/[\d.]+/g)].map(([sum]) => pesos(sum));
  const isPaid = /^pay \w+ [\d.]+; collect(?:; paid_otherwise [\d.]+)?$/.test(happens);
  if (!isPaid || first === undefined || deferred === undefined || commission === undefined) return [];
  return [{ number, happens, first, deferred, commission, isOtherwise: happens.includes("paid_otherwise") }];
});

interface Parts {
  readonly first: Clp;
  readonly deferred: Clp;
  readonly commission: Clp;
  readonly status: Plan["data"]["installments"][1]["status"];
}

function planOf({ first, deferred, commission, status }: Parts): Plan {
  const installments: Plan["data"]["installments"] = [
    { number: 1, percentage: 30, amount: first, due: "now", status: "captured" },
    { number: 2, percentage: 70, amount: deferred, due: "deferred", latest_due_date: "2027-01-05", status },
  ];
  const facts = {
    percentage: 7,
    regime: "interest",
    vat: ZERO,
    vat_included: false,
    charged_with: "deferred",
  } as const;
  return { name: "aapd_30_70", data: { installments, commission: { ...facts, amount: commission } } };
}

const NOTHING_BACK = { deferred_cancelled: ZERO, returned_amount: ZERO };

const sum = (...amounts: readonly Clp[]) => clp(amounts.reduce((total, amount) => total + amount, 0));

it("the test reads the payments of the list", () => expect(lives.length).toBeGreaterThan(2));

it.each(lives)("the receipt of life $number ($happens) totals all payments", (life) => {
  const { first, deferred, commission, isOtherwise } = life;
  const charged = sum(deferred, commission);
  const paid = isOtherwise
    ? { captured_amount: first, paid_otherwise: charged }
    : { captured_amount: sum(first, charged) };
  const plan = planOf({ first, deferred, commission, status: "collected" });
  expect(receiptAmounts({ ...NOTHING_BACK, ...paid, plan, total_amount: sum(first, deferred) })).toEqual({
    price: sum(first, deferred),
    cancelled: 0,
    first,
    deferred,
    commission,
    total: sum(first, deferred, commission),
    returned: 0,
  });
});

/**
 * The lives with one refund, before or after the later charge. `movement` is the column of the refunded amounts.
 */
const refundedLives = list.flatMap((line) => {
  const [number = "", happens = "", parts = "", movement = "", kept = "", books = ""] = line.split("\t");
  const matched = /^pay credit [\d.]+(?: taxed)?; (collect; |early; )?refund (?:[\d.]+|all)$/.exec(happens);
  if (matched === null) return [];
  const [first = clp(0), deferred = clp(0), commission = clp(0)] = [...parts.matchAll(/[\d.]+/g)].map(([sum]) =>
    pesos(sum),
  );
  const moved = (word: string) => {
    const [, amount = "0", within = "0"] = new RegExp(`\\b${word} ([\\d.]+) \\(([\\d.]+)\\)`).exec(movement) ?? [];
    return { amount: pesos(amount), price: clp(pesos(amount) - pesos(within)) };
  };
  const [, clinic = ""] = /^clinic ([\d.]+)/.exec(books) ?? [];
  const isCharged = matched[1] !== undefined;
  return [{ number, happens, first, deferred, commission, isCharged, moved, kept: pesos(kept), clinic: pesos(clinic) }];
});

it("the test reads the refunds of the list", () => expect(refundedLives.length).toBeGreaterThan(10));

it.each(refundedLives)(
  "the receipt of life $number ($happens) leaves the clinic its share and the commission",
  (life) => {
    const { first, deferred, commission, isCharged, moved, kept, clinic } = life;
    const isLeft = moved("left").amount > 0;
    const status = isCharged ? "collected" : isLeft ? "scheduled" : "cancelled";
    const plan = planOf({ first, deferred, commission: kept, status });
    const returned = sum(moved("deferred").amount, moved("first").amount);
    const paid = {
      captured_amount: isCharged ? sum(first, deferred, commission) : first,
      deferred_cancelled: moved("off").price,
      returned_amount: returned,
    };
    const { total } = receiptAmounts({ ...paid, plan, total_amount: sum(first, deferred) });
    expect(total - returned).toBe(clinic + kept);
  },
);
