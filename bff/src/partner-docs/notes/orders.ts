import { FIRST_PERCENTAGE, LATEST_COLLECTION_DAY } from "../../contract/terms.ts";
import type { FieldNote, SchemaNotes } from "./schema-note.ts";

/** The details that you send with an order and read back. */
export const detailFields = {
  items: {
    description: "Lines of your bill. Absent if you sent none.",
    example: [
      { description: "Consulta de traumatología", quantity: 1, amount: 32_000 },
      { description: "Radiografía de rodilla", quantity: 2, amount: 8_000 },
    ],
  },
} satisfies Readonly<Record<string, FieldNote>>;

const commonFields = {
  hash: "Id of the order, also called `order_token`. Mint the widget token for it.",
  reference: "Your own id for the order, exactly as you sent it. Webhooks repeat it.",
  total_amount: "Price of the service in Chilean pesos.",
  paid_amount:
    "0 until the order is paid, then `total_amount`. The first instalment while `partially_paid`. Refunds do not change it.",
  pending_amount:
    "`total_amount` until the order is paid, then 0. The deferred part while `partially_paid`; 0 once cancelled.",
  captured_amount: "What cards have paid so far, before refunds, in Chilean pesos.",
  refunded_amount:
    "What has been refunded so far, in Chilean pesos. Refunds in `processing` and amounts that a failed refund did not move do not count.",
  customer: "The patient, who also owes the deferred part.",
  readiness: "Steps that the patient has completed before the payment.",
  "readiness.identity_validated": "Whether the patient's identity is validated for this order.",
  "readiness.payment_method_added": "Whether a card is on file for this order.",
  ...detailFields,
  "items.description": "Text of the line, as you sent it.",
  "items.amount": "Amount of the whole line in Chilean pesos.",
};

const partnerFields = {
  ...commonFields,
  center: "The sub-clinic of a meta-provider's order; null for other providers.",
  "center.id": "Id of the centre, from `POST /api/spot/sacmed/centers`.",
  "center.rut": "RUT of the centre, as `12345678-5`.",
  payments: "Every charge, oldest first, declined ones included.",
  refunds: "Every refund, oldest first.",
  expense: "The receipt that you submitted for this order; null before that.",
  claim: "The claim for the patient's reimbursement. Null until the order is paid and its receipt is submitted.",
  missing_step:
    "What the patient still has to do after the payment so that the claim can be filed; null if nothing. `insurer_access`: give the password of the isapre's portal.",
  collection:
    "The charge of the deferred part with its commission. Null before the payment and in `order.paid` itself: its latest day is `latest_due_date` of the plan.",
  payment_page_url:
    "Address of the page on which the patient follows this payment, the same for the whole life of the order. Link to it from your portal; it shows nothing before a code that the patient gets by e-mail. Only in `GET /orders/{hash}` of a paid order; null after an erasure.",
  tax_documents:
    "The boleta of each commission that was paid and the nota de crédito of each that was returned. Empty where the commission is interest and its lender issues its own.",
};

const cardFields = {
  card: "The card that was charged; null if the patient paid in another way.",
  "card.last4": "Last four digits of the card number.",
};

const movedFields = {
  off_later_charge: "Taken off the later charge.",
  "off_later_charge.amount": "Taken off the later charge in Chilean pesos, commission included.",
  "off_later_charge.commission": "The commission within `amount`.",
  to_cards: "Returned to cards, one entry per charge.",
  "to_cards.amount": "Returned to this card in Chilean pesos, commission included.",
  "to_cards.commission": "The commission within `amount`.",
  "to_cards.payment_id": "The `id` of the payment in `payments`.",
  "to_cards.card": "The card that received the money.",
  by_bank: "Already returned by the patient's bank, before this refund.",
  "by_bank.amount": "Returned by the bank in Chilean pesos, commission included.",
  "by_bank.commission": "The commission within `amount`.",
  by_transfer: "Owed to the patient by bank transfer, because a debit or prepaid card takes no part of it.",
  "by_transfer.amount": "Owed by transfer in Chilean pesos, commission included.",
  "by_transfer.commission": "The commission within `amount`.",
};

export const orderNotes = {
  OrderStatus: {
    description:
      "`pending` until the payment, then `paid`; refunds lead to `partially_refunded` and `refunded`. `cancelled`: cancelled or expired unpaid. `partially_paid`: the first instalment is captured and the credit not decided yet.",
  },
  InstalmentStatus: { description: "State of one instalment." },
  Customer: {
    description: "The patient of an order. With `client_id`, e-mail and phone are masked.",
    fields: {
      rut: "RUT of the patient, as `12345678-5`.",
      email: "E-mail address.",
      phone_number: "Phone number.",
    },
  },
  CreateOrderRequest: {
    description: "A new order.",
    fields: {
      reference: {
        description: "Your own id for the order, unique among your orders.",
        example: "consulta-2026-000123",
      },
      total_amount: {
        description: "The whole price in Chilean pesos, without decimals. Digits as a string are accepted.",
        example: 40_000,
        wireForm: {
          anyOf: [
            { type: "integer", minimum: 0, maximum: 999_999_999 },
            { type: "string", pattern: "^\\d{1,9}$" },
          ],
        },
      },
      customer: "The patient, who also owes the deferred part.",
      "customer.rut": { description: "RUT of the patient, who must be a person.", example: "40.100.000-3" },
      "customer.first_name": { description: "Given names. Used in messages to the patient.", example: "Camila" },
      "customer.last_name": { description: "All surnames, as the patient writes them.", example: "Rojas Fuentes" },
      "customer.email": {
        description: "E-mail address. Without it the answer is 400 `customer_email_required`.",
        required: true,
        example: "camila@example.com",
      },
      "customer.phone_number": {
        description: "Phone number of 8 to 15 digits, in any common form.",
        example: "+56 9 1234 5678",
      },
      provider_rut: "RUT of the centre. Required for meta-providers, refused for other providers.",
      ...detailFields,
      items: {
        ...detailFields.items,
        description: "Lines of your bill, which the patient sees. Their amounts must sum to `total_amount`.",
      },
    },
  },
  OrderItem: {
    description: "A line of your bill.",
    fields: { description: "What was provided.", amount: "Amount of the whole line in Chilean pesos." },
  },
  Order: { description: "An order. Read only the fields that you need: more may be added.", fields: partnerFields },
  ListOrdersQuery: {
    fields: {
      reference: "Your own id of the order.",
      status: "State of the order.",
      rut: "RUT of the patient.",
      created_from: "First day of creation in America/Santiago, `YYYY-MM-DD`.",
      created_to: "Last day of creation in America/Santiago, `YYYY-MM-DD`.",
      after: "The `next` of the previous page.",
      limit: "Orders on a page, 1 to 100. By default 100.",
    },
  },
  Orders: {
    description: "One page of your orders.",
    fields: {
      orders: "The orders, newest first.",
      next: "The `after` of the next page; null on the last one.",
    },
  },
  OrderRefunds: {
    description: "The refunds of an order.",
    fields: { refunds: "All refunds, oldest first; those that failed too." },
  },
  OrderExpense: {
    description: "The receipt of an order.",
    fields: {
      id: "Id of the expense, from the response to its submission.",
      status: "State of the expense; see `ExpenseStatus`.",
    },
  },
  ClaimStatus: {
    description: "State of the claim with the insurer. More may be added: ignore values that you do not know.",
  },
  OrderClaim: {
    description: "The claim for the patient's reimbursement.",
    fields: {
      status:
        "`queued`: being filed, or waiting for a portal that is down. `held`: documents are missing that only you can send. `access_missing`, `access_blocked`: the service has no access to the patient's isapre and asks them for it. `stopped`: no longer filed or followed. More may be added: ignore values that you do not know.",
      missing_document_types:
        "With `held`: submit the order's expense again with these documents, under the same `skip_pay_order_id`. `unlocked_receipt`: the receipt is a PDF with a password; send one without. `readable_photo`: a photo could not be read. `other_document`: ask support which. More may be added.",
      rejection_code: "With `rejected`: the insurer's code; null if it gives none. Its text goes to the patient only.",
    },
  },
  MissingStep: { description: "A step that the patient still has to do. More may be added." },
  TaxDocument: {
    description: "A tax document for the commission.",
    fields: {
      kind: "`boleta`: for a paid commission. `credit_note`: corrects a boleta after a refund.",
      amount: "The commission in Chilean pesos, VAT included.",
      net: "Net amount in Chilean pesos.",
      vat: "VAT in Chilean pesos.",
      due_at: "When it must be issued at the latest. ISO 8601, UTC.",
      number: "Number of the document; null until it is issued.",
      url: "Where the document can be read; null until it is issued.",
      issued_at: "When it was issued (ISO 8601, UTC); null before that.",
    },
  },
  PatientOrder: {
    description: "The order as `client_id` reads it: e-mail and phone are masked, and partner fields are absent.",
    fields: {
      ...commonFields,
      paid_at: "When the first instalment was paid (ISO 8601, UTC); null before that.",
      deferred_cancelled: "What refunds took off the second instalment, in Chilean pesos.",
      returned_amount: "What refunds returned to cards in Chilean pesos, commission included.",
      transferred_amount: "What refunds owe the patient by bank transfer, in Chilean pesos. Absent if nothing.",
      bank_returned_amount: "What the patient's bank had already returned, in Chilean pesos. Absent if nothing.",
      paid_otherwise:
        "What was paid of the second instalment without a card in Chilean pesos, commission included. Absent if nothing.",
      payment_method: "The card on file; null if there is none.",
      declined_cards:
        "Before the payment: cards that the issuer declined for a reason that another try does not change, each with its `decline_reason`. Offer the patient another card. Absent if none.",
      missing_step:
        "What the patient still has to do after the payment so that the claim can be filed; null if nothing.",
      mandate_revoked: "Whether the patient revoked the mandate for the later charge. Absent before the payment.",
      upcoming_charge: "What is charged next, and when. Null or absent before the payment.",
      signed_receipt:
        "The compact JWS that the page receives in `completed`. Null or absent before the payment and after any refund.",
    },
  },
  UpcomingCharge: {
    description: "The next charge of a paid order.",
    fields: {
      status:
        "`none`: nothing more is charged. `in_flight`: a charge was sent and its outcome is not known. `due_now`: charged now. `on_day`: charged on `day`. `by_day`: charged on `day` at the latest; `on_day` once the claim has ended without an approval. `on_hold`: not charged for now. `card_needed`: the card is no longer charged and `amount` is owed.",
      amount: "What the charge takes in Chilean pesos, commission included. 0 with `none`.",
      commission: "The commission within `amount`.",
      day: "Day of the charge, or its latest day (`YYYY-MM-DD`, America/Santiago); null with other states.",
      reason: "What made the charge due; null until it is due.",
    },
  },
  CollectionReason: {
    description: `What made the later charge due: approval of the claim, blocked access to the insurer, day ${LATEST_COLLECTION_DAY}, or the patient's choice to pay early. Null until it is due.`,
  },
  OrderPayment: {
    description: "A charge to a card.",
    fields: {
      id: "Id of the payment.",
      kind: `\`first\`: the ${FIRST_PERCENTAGE} % that is paid today. \`deferred\`: the rest with its commission.`,
      status: "State of the charge. `undone`: captured, then returned because the credit was refused.",
      amount: "Amount in Chilean pesos.",
      returned_amount:
        "How much of it was returned to the card. Where `card` is null: how much is owed by bank transfer.",
      ...cardFields,
      decline_reason: "Why it was declined; null unless `status` is `declined`.",
      decline_limit:
        "With `decline_reason`: the card limit that was exceeded, which the patient may be able to raise in their bank's app. Absent if the issuer does not say.",
    },
  },
  OrderCollection: {
    description: "The charge of the deferred part.",
    fields: {
      due_at: "When the charge is due (ISO 8601, UTC); null while it is not known.",
    },
  },
  Plan: {
    description: "How the total is split into two instalments, and the commission charged with the second.",
    fields: {
      name: "Id of the plan.",
      data: "The instalments and the commission.",
      "data.installments": "The two instalments: the one paid now, then the deferred one.",
      "data.installments.number": "Position of the instalment, 1 or 2.",
      "data.installments.percentage": "Share of the total, in percent.",
      "data.installments.amount": "Amount in Chilean pesos, without commission.",
      "data.installments.due": "`now`: paid at the checkout. `deferred`: charged later.",
      "data.installments.latest_due_date": "Latest day of the charge: `YYYY-MM-DD`, America/Santiago.",
      "data.commission": "The commission, which is charged with the second instalment.",
      "data.commission.percentage": "Commission in percent.",
      "data.commission.amount": "Commission in Chilean pesos, VAT included.",
      "data.commission.regime": "How the commission is taxed. Absent from events recorded before the field existed.",
      "data.commission.vat": "The VAT within `amount`; 0 with `interest`.",
      "data.commission.vat_included": "Whether `amount` includes VAT.",
      "data.commission.charged_with": "The instalment that it is charged with.",
    },
  },
  RefundOrderRequest: {
    description: "Unknown fields are refused, so that a misspelt `amount` cannot refund everything.",
    fields: {
      amount: {
        description: "Chilean pesos to refund, as a number or as digits. Without it, everything that is left.",
        wireForm: {
          anyOf: [
            { type: "integer", minimum: 1 },
            { type: "string", pattern: "^\\d{1,15}$" },
          ],
        },
      },
      reason: "Your reason, for your own records.",
      refund_reference:
        "Your own id for the refund. Sent again, it returns the same refund, also a failed one; with another amount it is 422 `refund_reference_reused`. Surrounding spaces are ignored.",
    },
  },
  RefundOrderResponse: {
    description: "The order after the call, and the refund.",
    fields: { ...partnerFields, refund: "The refund of this call." },
  },
  Refund: {
    description: "A refund, in full or in part.",
    fields: {
      id: "Id of the refund.",
      amount: "Refunded price in Chilean pesos, without commission.",
      status:
        "`processing`: a charge is unresolved, or the card processor is returning the money, which may take days. It settles without another call and counts as refunded only then. `failed`: a card returned nothing or a charge is disputed. Amounts in `moved` stay; refund the rest under another `refund_reference` and key. `order.refund_failed` reports failures of refunds that were `processing`.",
      reason: "The reason that you sent; null if none. `chargeback`: a lost chargeback on your account.",
      refund_reference: "Your own id for the refund; null if you sent none.",
      refused_because:
        "With `failed`: why the card takes no money back. Absent if the processor gives no reason. `too_old`: pay the patient by bank transfer. `disputed`: pay nothing, because the patient's bank takes the charge back.",
      moved: "What the refund has moved so far, and where. The patient receives the same figures.",
    },
  },
  RefundMoved: { description: "What a refund has moved so far.", fields: movedFields },
} satisfies SchemaNotes;
