/**
 * The accounts of the ledger (bff/docs/ledger.md). Each transfer moves an amount between two accounts, the debit and
 * the credit. A balance is debits less credits: positive for what we own or are owed, negative for what we owe or have
 * earned. The balances of all accounts always sum to zero.
 */
export const LEDGER_ACCOUNTS = {
  order: "What is held for orders and owed to their clinics: price paid, less what was refunded and paid out.",
  card_processor: "What the card processor has captured for us and not returned to cards.",
  financing_provider: "What the financing provider has lent, less what was taken back and what was collected for it.",
  commission: "The commission that patients have paid with the deferred part, without the VAT on it.",
  vat: "The VAT in that commission, which is owed to the treasury.",
  bank: "What has left our bank account for the clinics and for the lender.",
  chargeback_loss:
    "What patients' banks have taken back for good, less what clinics have refunded of it: the service bears it.",
  paid_otherwise: "What patients have paid of deferred parts in another way than by card, into our bank account.",
  paid_by_hand: "What people have paid back to patients themselves, because no card took it.",
  transfers_owed: "What patients are owed by bank transfer, because no card takes that part of a refund.",
  written_off: "What was lent and will not be collected any more, less what refunds have taken from it since.",
  payout_fee: "The agreed fee that is kept of what clinics are owed.",
  card_settled: "What the card processor has settled of what it captured and returned: paid in, or kept as its fee.",
  deposits: "What the card processor has paid into our bank account, as it tells.",
  card_fee: "The fees that the card processor has kept, without the VAT on them.",
  card_fee_vat: "The VAT on those fees.",
  remitted: "What the lender was paid of the deferred parts that were collected.",
} as const;
export type LedgerAccount = keyof typeof LEDGER_ACCOUNTS;
