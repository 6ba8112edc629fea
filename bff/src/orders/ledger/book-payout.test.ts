import { expect, it } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import { readOrderId } from "../../contract/vocabulary/identifiers.ts";
import { seededIds } from "../../platform/ids.ts";
import { payoutTransfers, returnedPayoutTransfers } from "../book-entries.ts";

const ids = seededIds("booked payouts");
const orderId = readOrderId(ids.uuid());
if (orderId === null) throw new Error("A UUID is an order hash.");

it.each([
  ["clinics", 100, 5, 0, ["order bank 100 payout", "order payout_fee 5 payout-fee"]],
  ["clinics", -100, -5, 0, ["bank order 100 payout", "payout_fee order 5 payout-fee"]],
  [
    "clinics",
    100,
    119,
    19,
    ["order bank 100 payout", "order payout_fee 100 payout-fee", "order payout_fee_vat 19 payout-fee-vat"],
  ],
  [
    "clinics",
    -100,
    -119,
    -19,
    ["bank order 100 payout", "payout_fee order 100 payout-fee", "payout_fee_vat order 19 payout-fee-vat"],
  ],
  ["clinics", 100, 0, 0, ["order bank 100 payout"]],
  ["lender", 100, 0, 0, ["remitted bank 100 remittance"]],
  ["lender", -100, 0, 0, ["bank remitted 100 remittance"]],
] as const)(
  "a payout to %s of %i with a fee of %i, VAT of %i included, books each part, and the reverse if it comes back",
  (of, net, fee, feeVat, booked) => {
    const items = [{ orderId, net: clp(net), fee: clp(fee), feeVat: clp(feeVat) }];
    const transfers = payoutTransfers({ providerId: ids.uuid(), payoutId: "p", of, at: new Date(0), items });
    expect(transfers.map(({ debit, credit, amount, cause }) => `${debit} ${credit} ${amount} ${cause}`)).toEqual(
      booked.map((row) => `${row}:p:${orderId}`),
    );
    const back = returnedPayoutTransfers({ providerId: ids.uuid(), payoutId: "p", of, at: new Date(1), items });
    expect(back.map(({ debit, credit, amount, cause }) => `${credit} ${debit} ${amount} ${cause}`)).toEqual(
      booked.map((row) => `${row}-return:p:${orderId}`),
    );
  },
);
