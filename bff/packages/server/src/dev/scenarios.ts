import { LATEST_COLLECTION_DAY, RECEIPT_DUE_DAYS } from "../../../../src/contract/terms.ts";

/** An order's life in the sandbox, with the test values that cause it. */
export interface DevScenario {
  readonly name: string;
  /** The visible result of the scenario. */
  readonly ends: string;
  /** Default: a new, random RUT. */
  readonly rut?: string;
  readonly card?: string;
  readonly serial?: string;
  /** The error code with which a step of the patient is refused; absent if none is. */
  readonly refusal?: string;
  readonly submitsReceipt?: boolean;
  /** What happens after the payment. */
  readonly afterwards?: "refund" | "chargeback";
  /** How many days the clock moves at the end. */
  readonly days?: number;
}

export const SCENARIOS: readonly DevScenario[] = [
  { name: "paid", ends: "The order is paid." },
  {
    name: "card_declined",
    card: "5186059559590568",
    refusal: "card_declined",
    ends: "The card is declined; the order stays open.",
  },
  {
    name: "identity_rejected",
    serial: "100000001",
    refusal: "identity_rejected",
    ends: "The document does not match; the order stays open.",
  },
  {
    name: "credit_refused",
    rut: "40237731-3",
    refusal: "credit_declined",
    ends: "The credit is refused; the order stays open.",
  },
  { name: "refunded", afterwards: "refund", ends: "All of it is refunded." },
  {
    name: "refund_failed",
    card: "4051885600000214",
    afterwards: "refund",
    days: 3,
    ends: "The refund is under way for two days, and the card takes nothing back: order.refund_failed, for endpoints that ask for it.",
  },
  { name: "chargeback", afterwards: "chargeback", ends: "The card's owner charges the first instalment back." },
  {
    name: "approved",
    submitsReceipt: true,
    days: 7,
    ends: "The isapre approves after five days, and the second instalment is charged.",
  },
  {
    name: "access_blocked",
    rut: "41201848-6",
    submitsReceipt: true,
    days: 8,
    ends: "Access to the isapre is blocked on day 2, and the second instalment is charged three days later.",
  },
  {
    name: "latest_day",
    rut: "40000778-0",
    submitsReceipt: true,
    days: LATEST_COLLECTION_DAY + 1,
    ends: `The isapre never answers; the second instalment is charged on day ${LATEST_COLLECTION_DAY}.`,
  },
  {
    name: "later_charge_declined",
    card: "4051885600000065",
    submitsReceipt: true,
    days: 7,
    ends: "The second instalment is declined, and tried again.",
  },
  {
    name: "receipt_missing",
    days: RECEIPT_DUE_DAYS + 1,
    ends: "Your receipt has not come in time: order.receipt_missing, for endpoints that ask for it.",
  },
];

export function findScenario(name: string): DevScenario | null {
  return SCENARIOS.find((scenario) => scenario.name === name) ?? null;
}
