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
  /** The patient's answer on the bank's page, if the card's bank asks. Default: approve. */
  readonly bank?: "approve" | "reject";
  /** What happens after the payment. */
  readonly afterwards?: "refund" | "chargeback" | "early_payment" | "mandate_revoked";
  /** How far the clock moves at the end, such as `7d`. */
  readonly advance?: string;
}

const scenarios = [
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
  {
    name: "challenge_approved",
    card: "4051885600000040",
    ends: "The bank asks the patient, who approves; the order is paid.",
  },
  {
    name: "challenge_rejected",
    card: "4051885600000040",
    bank: "reject",
    refusal: "card_declined",
    ends: "The bank asks the patient, who rejects; nothing is charged and the order stays open.",
  },
  {
    name: "credit_reviewed",
    rut: "40375462-5",
    advance: "1m",
    ends: "The credit is under review for 20 seconds, then authorised; the order is paid.",
  },
  {
    name: "credit_review_refused",
    rut: "40513193-5",
    advance: "1m",
    ends: "The credit is under review for 20 seconds, then refused; the order stays open.",
  },
  { name: "refunded", afterwards: "refund", ends: "All of it is refunded." },
  {
    name: "refunded_debit",
    card: "4051884239937763",
    afterwards: "refund",
    ends: "All of it is refunded to a debit card, which takes money back only in full.",
  },
  {
    name: "refund_failed",
    card: "4051885600000214",
    afterwards: "refund",
    advance: "3d",
    ends: "The refund is under way for two days, and the card takes nothing back: order.refund_failed, for endpoints that ask for it.",
  },
  { name: "chargeback", afterwards: "chargeback", ends: "The card's owner charges the first instalment back." },
  {
    name: "approved",
    submitsReceipt: true,
    advance: "7d",
    ends: "The isapre approves after five days, and the second instalment is charged.",
  },
  {
    name: "claim_held",
    rut: "41064117-8",
    submitsReceipt: true,
    advance: "2d",
    ends: "The isapre holds the claim until you submit a second document.",
  },
  {
    name: "claim_rejected",
    rut: "40926386-0",
    submitsReceipt: true,
    advance: "7d",
    ends: `The isapre rejects the claim after five days; the second instalment is charged on day ${LATEST_COLLECTION_DAY}.`,
  },
  {
    name: "paid_early",
    afterwards: "early_payment",
    ends: "The patient pays the second instalment at once, by the link in the first e-mail.",
  },
  {
    name: "mandate_revoked",
    afterwards: "mandate_revoked",
    advance: `${LATEST_COLLECTION_DAY + 1}d`,
    ends: `The patient withdraws the authorisation of the second charge: it fails on day ${LATEST_COLLECTION_DAY}, and the debt stays.`,
  },
  {
    name: "access_blocked",
    rut: "41201848-6",
    submitsReceipt: true,
    advance: "8d",
    ends: "Access to the isapre is blocked on day 2, and the second instalment is charged three days later.",
  },
  {
    name: "latest_day",
    rut: "40000778-0",
    submitsReceipt: true,
    advance: `${LATEST_COLLECTION_DAY + 1}d`,
    ends: `The isapre never answers; the second instalment is charged on day ${LATEST_COLLECTION_DAY}.`,
  },
  {
    name: "later_charge_declined",
    card: "4051885600000065",
    submitsReceipt: true,
    advance: "7d",
    ends: "The second instalment is declined, and tried again.",
  },
  {
    name: "receipt_missing",
    advance: `${RECEIPT_DUE_DAYS + 1}d`,
    ends: "Your receipt has not come in time: order.receipt_missing, for endpoints that ask for it.",
  },
] as const satisfies readonly DevScenario[];

export type ScenarioName = (typeof scenarios)[number]["name"];

export const SCENARIOS: readonly (DevScenario & { readonly name: ScenarioName })[] = scenarios;

export function findScenario(name: string): DevScenario | null {
  return SCENARIOS.find((scenario) => scenario.name === name) ?? null;
}
