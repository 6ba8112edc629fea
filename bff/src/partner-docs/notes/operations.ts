import type { SchemaNotes } from "./schema-note.ts";

const dayFields = {
  from: "First day of the range: `YYYY-MM-DD`, America/Santiago.",
  to: "Last day of the range, included: `YYYY-MM-DD`, America/Santiago.",
};
const payoutFields = {
  id: "Id of the payout.",
  payee: "Who is paid.",
  "payee.kind": "`provider`: you. `center`: one of your centres.",
  "payee.id": "Id of the provider or centre.",
  day: "Day of the payout: `YYYY-MM-DD`, America/Santiago.",
  amount: "Amount of the transfer in Chilean pesos.",
  refusal:
    "Why the bank refused or returned it; null otherwise. About the account: `bank_unknown`, `account_unknown`, `account_closed`, `account_not_enabled`, `holder_differs`. Others: `bank_unavailable`, `funds_missing`, `limit_exceeded`, `stopped_by_bank`, `other`.",
  transfer_id: "The bank's id of the transfer; null until it is known.",
  settled_at: "When the bank paid or refused it (ISO 8601, UTC); null before that.",
  ends_by: "By when the bank makes the transfer that it has accepted for later (ISO 8601, UTC). Absent otherwise.",
  returned_at: "When the money came back (ISO 8601, UTC). Absent unless it did.",
};

/** Payouts and reconciliation. */
export const operationsNotes: SchemaNotes = {
  PayoutsQuery: {
    fields: {
      from: `${dayFields.from} By default the longest range that ends today.`,
      to: `${dayFields.to} By default today.`,
    },
  },
  PayoutStatus: {
    description:
      "`sending`: the bank has not made it yet. `refused`: the bank did not pay, or the money came back (`returned_at`); a later payout contains the amount again.",
  },
  Payout: { description: "A transfer to you or one of your centres.", fields: payoutFields },
  PayoutWithItems: {
    description: "A payout with its orders.",
    fields: { ...payoutFields, items: "Each order's part of the payout." },
  },
  PayoutItem: {
    description: "An order's part of a payout. Negative if a refund takes back an earlier part.",
    fields: {
      net: "Paid out in Chilean pesos, after the fee.",
      fee: "Fee in Chilean pesos, kept by the service, VAT included.",
      fee_vat: "VAT in the fee; 0 if the fee is exempt.",
    },
  },
  Payouts: {
    description: "Payouts of a range of days.",
    fields: { ...dayFields, payouts: "The payouts, oldest first." },
  },
  StatementQuery: { fields: { month: "The month: `YYYY-MM`, America/Santiago. By default the current month." } },
  Statement: {
    description: "What is owed to you and your centres in a month.",
    fields: {
      month: "The month: `YYYY-MM`, America/Santiago.",
      accounts: "One account for you and one for each centre that has a balance or movements, by name.",
    },
  },
  StatementAccount: {
    description: "A month of one account. `opening` and the amounts of all movements sum to `closing`.",
    fields: {
      payee: "Whose account it is.",
      "payee.kind": "`provider`: you. `center`: one of your centres.",
      "payee.id": "Id of the provider or centre.",
      name: "Name of the provider or centre.",
      opening: "Owed at the start of the month in Chilean pesos; negative if the payee owes it.",
      movements: "The movements, oldest first.",
      closing: "Owed at the end of the month, or now, in Chilean pesos.",
    },
  },
  StatementMovementKind: {
    description:
      "`sale`: a paid order. `sale_returned`: a first instalment that went back because the credit was refused. `refund`: a refunded price. `fee` and `fee_vat`: the fee of a payout without VAT, and its VAT. `payout`: paid to the payee. `payout_returned`: the bank sent it back.",
  },
  StatementMovement: {
    description: "A change of the amount owed for an order.",
    fields: {
      at: "When it was booked. ISO 8601, UTC.",
      order_hash: "The `hash` of the order.",
      reference: "Your reference of the order.",
      refund_reference: "Your `refund_reference`; null if you gave none or it is no refund.",
      payout_id: "The `id` of the payout; null if it is no payout or fee.",
      amount: "In Chilean pesos; negative if it reduces the amount owed.",
      balance: "Owed after it in Chilean pesos.",
    },
  },
  ReconciliationQuery: {
    fields: { from: `${dayFields.from} By default yesterday.`, to: `${dayFields.to} By default today.` },
  },
  Reconciliation: {
    description: "Comparison of orders, ledger and the lists of the outside parties.",
    fields: {
      ...dayFields,
      checked_at: "When the comparison ran. ISO 8601, UTC.",
      agrees: "Whether all records agree and every list was available.",
      unavailable: "Parties whose list was unavailable; their records were not compared.",
      compared: "Number of lines compared.",
      "compared.orders": "Number of orders.",
      "compared.card_movements": "Number of charges and returns on cards.",
      "compared.loans": "Number of loans.",
      "compared.bank_transfers": "Number of bank transfers.",
      "compared.tax_documents": "Number of tax documents. Absent if there are none to compare.",
      "compared.ledger_transfers": "Number of ledger transfers.",
      balances: "Balance of each ledger account over all time. They sum to zero.",
      "balances.account": "Name of the account.",
      "balances.balance": "Debits less credits in Chilean pesos.",
      differences: "The differences. Empty if everything agrees.",
    },
  },
  ReconciledParty: { description: "The party whose list was compared; `ledger` for the service's own books." },
  DifferenceKind: {
    description:
      "`…_missing`: only in our books. `…_not_booked`: only on the party's list. `settled_differs`: the card processor settled another amount. `not_settled`: it has settled nothing for days.",
  },
  Difference: {
    description: "A difference between two records.",
    fields: {
      party: "The party whose list differs. `ledger`: the order differs from the ledger.",
      order_hash: "The `hash` of the order; null if the record belongs to none.",
      reference: "Our id of the attempt, movement or payout, or the party's id if we have none.",
      expected: "Amount in our ledger (with `ledger`: in the order) in Chilean pesos; null if absent.",
      found: "Amount on the party's list (with `ledger`: in the ledger) in Chilean pesos; null if absent.",
      at: "When the record was made. ISO 8601, UTC.",
    },
  },
};
