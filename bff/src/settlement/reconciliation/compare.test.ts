import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import { type OrderId, readOrderId } from "../../contract/vocabulary/identifiers.ts";
import type { ProcessorMovement } from "../../gateways/card-processor.ts";
import type { Loan } from "../../gateways/financing-provider.ts";
import type { IssuedDocument } from "../../gateways/tax-documents.ts";
import type { BookedRow, OrderSums } from "../../orders/books.ts";
import type { Difference } from "../compare-lines.ts";
import { type Books, compare, type Lists } from "./compare.ts";

const at = new Date("2026-11-21T15:00:00Z");
const period = { from: new Date("2026-11-21T03:00:00Z"), to: new Date("2026-11-22T03:00:00Z") };

function order(number: number): OrderId {
  const hash = readOrderId(`00000000-0000-4000-8000-${String(number).padStart(12, "0")}`);
  if (hash === null) throw new Error("A UUID is an order hash.");
  return hash;
}

function row(cause: string, amount: number, overrides: Partial<BookedRow> = {}): BookedRow {
  const accounts = { debit: "card_processor", credit: "order" } as const;
  return { orderId: order(1), ...accounts, amount: clp(amount), cause, at, ...overrides };
}

function movement(kind: ProcessorMovement["kind"], idempotencyKey: string, amount: number): ProcessorMovement {
  return {
    id: `m:${idempotencyKey}`,
    kind,
    chargeId: "c",
    idempotencyKey,
    orderHash: order(1),
    amount: clp(amount),
    at,
  };
}

function document(idempotencyKey: string, amount: number): IssuedDocument {
  return { id: `d:${idempotencyKey}`, idempotencyKey, kind: "boleta", number: "1", amount: clp(amount), at };
}

function sums(overrides: Partial<OrderSums> = {}): OrderSums {
  const amounts = { price: clp(30_000), bookedPrice: clp(30_000), collected: clp(0), bookedCollected: clp(0) };
  const held = { patientExcess: clp(0), commissionKept: clp(0), commissionDue: clp(2_100) };
  return { orderId: order(1), updatedAt: at, ...amounts, ...held, ...overrides };
}

interface World {
  readonly books: Books;
  readonly lists: Lists & { readonly loans: NonNullable<Lists["loans"]> };
}

/** An order of $40.000 that was paid, collected, refunded in part and paid out. All books agree. */
function agreeing(): World {
  const loan: Loan = {
    id: "l",
    orderHash: order(1),
    idempotencyKey: "pay:loan",
    amount: clp(18_000),
    status: "confirmed",
  };
  const lent = [
    row("loan:pay", 28_000, { debit: "financing_provider" }),
    row("reduction:ref", 10_000, { debit: "order", credit: "financing_provider" }),
  ];
  const rows = [
    row("capture:pay", 12_000),
    ...lent,
    row("collection:late", 18_000, { credit: "financing_provider" }),
    row("commission:late", 1_765, { credit: "commission" }),
    row("vat:late", 335, { credit: "vat" }),
    row("return:back", 5_000, { debit: "order", credit: "card_processor" }),
    row("commission-return:back", 350, { debit: "commission", credit: "card_processor" }),
    row("payout:out:o1", 30_000, { debit: "order", credit: "bank" }),
    row("payout:out:o2", 2_000, { debit: "bank", credit: "order" }),
    row("payout-fee:out:o1", 900, { debit: "order", credit: "payout_fee" }),
  ];
  const movements = [
    movement("charge", "pay:charge", 12_000),
    movement("charge", "late:collection", 20_100),
    movement("return", "back:refund", 5_350),
  ];
  const taxed = rows.filter(({ cause }) => /^(?:commission|vat)/.test(cause));
  const documents = [document("late:boleta:1", 2_100), document("back:credit_note:2", 350)];
  const transfer = {
    id: "t",
    idempotencyKey: "out:payout",
    reference: "AAPD",
    amount: clp(28_000),
    accountEnding: "5678",
  };
  return {
    books: {
      rows,
      lent,
      taxed,
      orders: [sums()],
      unresolved: new Set(),
      settledChargebacks: new Set(),
      returnedCharges: [],
      returnedPayouts: [],
      settled: { settlements: [], movements: [], rows: [], overdue: [] },
    },
    lists: {
      movements,
      settlements: [],
      loans: { inPeriod: [loan], around: [loan] },
      transfers: [{ ...transfer, at }],
      documents,
    },
  };
}

const differences = ({ books, lists }: World): Difference[] => compare(books, lists, period);
const kinds = (world: World) => differences(world).map(({ kind }) => kind);
const withBooks = ({ books, lists }: World, changes: Partial<Books>): World => ({
  lists,
  books: { ...books, ...changes },
});
const withLists = ({ books, lists }: World, changes: Partial<World["lists"]>): World => ({
  books,
  lists: { ...lists, ...changes },
});
const withoutRow = (world: World, cause: string) =>
  withBooks(world, { rows: world.books.rows.filter((booked) => booked.cause !== cause) });
const withoutMovement = (world: World, key: string) =>
  withLists(world, {
    movements: world.lists.movements?.filter(({ idempotencyKey }) => idempotencyKey !== key) ?? null,
  });

const withDocuments = (world: World, left: string) =>
  withLists(world, {
    documents: world.lists.documents?.filter(({ idempotencyKey }) => idempotencyKey !== left) ?? null,
  });

test("matching books and lists have no difference", () => expect(differences(agreeing())).toEqual([]));

test("a charge that the books never had is a difference until it was returned", () => {
  const world = agreeing();
  const movements = [...(world.lists.movements ?? []), movement("charge", "double:charge", 12_000)];
  const charged = withLists(world, { movements });
  const returned = withLists(world, { movements: [...movements, movement("return", "back-of-it:return", 12_000)] });
  const line = {
    id: "back-of-it",
    reference: "double",
    orderId: null,
    amount: clp(12_000),
    chargedAt: at,
    returnedAt: at,
  };
  const known = { returnedCharges: [line] };
  expect(kinds(charged)).toEqual(["charge_not_booked"]);
  expect(kinds(returned).sort()).toEqual(["charge_not_booked", "return_not_booked"]);
  expect(differences(withBooks(returned, known))).toEqual([]);
  expect(kinds(withBooks(charged, known))).toEqual(["return_missing"]);
  expect(kinds(withBooks(world, known)).sort()).toEqual(["charge_missing", "return_missing"]);
});

test("a payout that came back agrees only if both sides have its return", () => {
  const world = agreeing();
  const [sent] = world.lists.transfers ?? [];
  if (sent === undefined) throw new Error("The bank lists a transfer.");
  const returned = { ...sent, id: "r", kind: "return", reason: "account_closed" } as const;
  const listed = withLists(world, { transfers: [sent, returned] });
  const booked = { returnedPayouts: [{ id: "out", amount: sent.amount, returnedAt: at }] };
  const reversed = { rows: [...world.books.rows, row("payout-return:out:o1", 28_000, { debit: "bank" })] };
  expect(differences(withBooks(listed, { ...booked, ...reversed }))).toEqual([]);
  expect(differences(listed)).toMatchObject([{ kind: "payout_not_booked", reference: "out:return", found: 28_000 }]);
  expect(differences(withBooks(world, booked))).toMatchObject([{ kind: "payout_missing", reference: "out:return" }]);
  const less = withLists(world, { transfers: [sent, { ...returned, amount: clp(1) }] });
  expect(kinds(withBooks(less, booked))).toEqual(["payout_amount_differs"]);
});

describe("compare with differing books", () => {
  const world = agreeing();
  const loanOf = (changes: Partial<Loan>) => {
    const inPeriod = world.lists.loans.inPeriod.map((loan) => ({ ...loan, ...changes }));
    return withLists(world, { loans: { inPeriod, around: inPeriod } });
  };
  it.each([
    ["charge_missing", withoutMovement(world, "pay:charge")],
    ["charge_missing", withoutMovement(world, "late:collection")],
    ["charge_not_booked", withoutRow(world, "capture:pay")],
    ["charge_amount_differs", withoutRow(world, "commission:late")],
    ["return_missing", withoutMovement(world, "back:refund")],
    ["return_not_booked", withoutRow(withoutRow(world, "return:back"), "commission-return:back")],
    ["return_amount_differs", withoutRow(world, "commission-return:back")],
    ["chargeback", withLists(world, { movements: [...(world.lists.movements ?? []), movement("chargeback", "x", 1)] })],
    ["loan_missing", withLists(world, { loans: { inPeriod: [], around: [] } })],
    [
      "loan_not_booked",
      withBooks(world, { lent: [], rows: world.books.rows.filter(({ cause }) => cause !== "loan:pay") }),
    ],
    ["loan_amount_differs", loanOf({ amount: clp(28_000) })],
    ["loan_amount_differs", loanOf({ status: "cancelled" })],
    ["payout_missing", withLists(world, { transfers: [] })],
    ["commission_without_document", withDocuments(world, "late:boleta:1")],
    ["commission_without_document", withDocuments(world, "back:credit_note:2")],
    [
      "commission_without_document",
      withLists(world, {
        documents:
          world.lists.documents?.map((one) => ({ ...one, rejected: one.idempotencyKey === "late:boleta:1" })) ?? null,
      }),
    ],
    [
      "document_without_commission",
      withBooks(world, { taxed: world.books.taxed.filter(({ cause }) => !cause.endsWith(":back")) }),
    ],
    [
      "document_amount_differs",
      withBooks(world, { taxed: world.books.taxed.filter(({ cause }) => cause !== "vat:late") }),
    ],
    ["payout_not_booked", withoutRow(withoutRow(world, "payout:out:o1"), "payout:out:o2")],
    ["payout_amount_differs", withoutRow(world, "payout:out:o2")],
    ["order_price_differs", withBooks(world, { orders: [sums({ bookedPrice: clp(29_999) })] })],
    ["order_collection_differs", withBooks(world, { orders: [sums({ collected: clp(20_100) })] })],
  ] as const)("reports %s", (kind, differing) => expect(kinds(differing)).toEqual([kind]));

  it("reports the expected and the found amount", () => {
    expect(differences(withoutRow(world, "commission:late"))).toEqual([
      {
        kind: "charge_amount_differs",
        party: "card_processor",
        orderId: order(1),
        reference: "late",
        expected: 18_335,
        found: 20_100,
        at,
      },
    ]);
  });
});

describe("compare with agreeing books", () => {
  const world = agreeing();
  it.each([
    ["an unresolved charge", withBooks(withoutRow(world, "capture:pay"), { unresolved: new Set(["pay"]) })],
    [
      "an order with an unresolved charge",
      withBooks(world, { orders: [sums({ price: clp(1) })], unresolved: new Set([order(1)]) }),
    ],
    ["an unavailable list", withLists(world, { movements: null, transfers: null })],
    [
      "a chargeback that an operator has resolved",
      withBooks(withLists(world, { movements: [...(world.lists.movements ?? []), movement("chargeback", "x", 1)] }), {
        settledChargebacks: new Set(["m:x"]),
      }),
    ],
  ])("reports nothing for %s", (_name, agreed) => expect(differences(agreed)).toEqual([]));

  it("reports nothing for a line just outside the period", () => {
    const early = withoutMovement(
      withBooks(world, {
        rows: world.books.rows.map((booked) =>
          booked.cause === "capture:pay" ? { ...booked, at: new Date("2026-11-21T02:59:59Z") } : booked,
        ),
      }),
      "pay:charge",
    );
    expect(differences(early)).toEqual([]);
  });
});

test("exactly the lines that are removed from the lists are reported as missing", () => {
  const charges = Array.from({ length: 20 }, (_, index) => ({ id: `a${index}`, amount: index + 1 }));
  fc.assert(
    fc.property(fc.subarray(charges), (kept) => {
      const rows = charges.map(({ id, amount }) => row(`capture:${id}`, amount));
      const movements = kept.map(({ id, amount }) => movement("charge", `${id}:charge`, amount));
      const { books, lists } = agreeing();
      const found = compare(
        { ...books, rows, orders: [] },
        { ...lists, movements, loans: null, transfers: null },
        period,
      );
      const missing = charges.filter((charge) => !kept.includes(charge)).map(({ id }) => id);
      expect(found.map(({ reference }) => reference).toSorted()).toEqual(missing.toSorted());
    }),
  );
});
