import {
  CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX,
  DEFERRED_PERCENTAGE,
  EXPENSE_FILES_MAX,
  EXPENSE_FILES_MIN,
  FIRST_PERCENTAGE,
  LATEST_COLLECTION_DAY,
  LONG_TERM_LIFETIME_DAYS,
  STANDARD_LIFETIME_MINUTES,
} from "../contract/terms.ts";
import { expenseFields } from "./expense-form.ts";
import type { JsonSchema } from "./json-schema.ts";

interface FieldNote {
  readonly description: string;
  /** The field is required, although the schema allows its absence in order to answer it with a code of its own. */
  readonly required?: true;
  /** The intended form, if the schema is looser in order to answer bad values with a code of its own. */
  readonly wireForm?: JsonSchema;
}

interface SchemaNote {
  readonly description?: string;
  /** Replaces the whole converted schema if only a parser knows its real form. */
  readonly wireForm?: JsonSchema;
  /** By field name; the field of a nested object by its path (`customer.rut`). */
  readonly fields?: Readonly<Record<string, string | FieldNote>>;
}

const uuid: JsonSchema = { type: "string", format: "uuid" };
const clpAmount = "Chilean pesos, an integer.";

const orderFields = {
  hash: "Also called `order_token`: what the widget token is minted for.",
  reference: "Your own id of the order; comes back in webhooks.",
  paid_amount:
    "0 until the order is paid, then `total_amount`: in the service's books the order is paid in full; the first instalment while `partially_paid`. Refunds do not change it.",
  pending_amount:
    "`total_amount` until the order is paid, then 0; the deferred part while `partially_paid`, 0 once cancelled.",
  captured_amount: "What cards have really paid so far, before refunds.",
  refunded_amount:
    "What has been refunded so far. What is `processing` does not count, nor what a failed refund did not move.",
  readiness: "What the patient has done on the way to the payment.",
};

/**
 * Descriptions of fields, and the real forms of values that a parser checks rather than the schema. The document is
 * refused if a name or field here does not exist in the contract.
 */
export const schemaNotes: Readonly<Record<string, SchemaNote>> = {
  Clp: { description: clpAmount, wireForm: { type: "integer" } },
  Email: {
    description:
      "An e-mail address, in any alphabet. Kept and answered with its domain in ASCII (IDNA) and the part before it in NFC, in lower case where it goes beyond ASCII.",
    wireForm: {
      type: "string",
      format: "idn-email",
      maxLength: 254,
      examples: ["camila@example.com", "ñandú@example.cl"],
    },
  },
  OrderHash: { description: "The `hash` of an order.", wireForm: uuid },
  WidgetToken: { description: "A widget token.", wireForm: uuid },
  Phone: {
    description: "A telephone number in any common form (`9 1234 5678`, `+56 9 1234 5678`). Kept as E.164.",
    wireForm: { type: "string", maxLength: 64 },
  },
  Rut: {
    description:
      "A Chilean national id with its check digit: with its dash (dots or not), or as nine characters, eight digits and the check digit. Answered as `12345678-5`.",
    wireForm: { type: "string", maxLength: 64, examples: ["76.900.001-1", "76900001-1"] },
  },
  PersonRut: {
    description:
      "The RUT of a person with its check digit: with its dash (dots or not), or as nine characters, eight digits and the check digit. Answered as `12345678-5`.",
    wireForm: { type: "string", maxLength: 64, examples: ["40.100.000-3", "40100000-3"] },
  },
  Timestamp: { description: "ISO 8601, UTC." },
  CalendarDay: { description: "`YYYY-MM-DD`, a day in America/Santiago." },
  SealedValue: {
    description: "A compact JWE (RSA-OAEP-256, A256GCM) that the widget makes; the service cannot open it.",
  },
  OrderStatus: {
    description:
      "`pending` until the payment, then `paid`. Refunds lead on; before it, `cancelled` may. `partially_paid` comes between, where the first instalment is captured before the credit is decided.",
  },
  EventType: { description: "Who the patient is, as coarsely as the subscription lookup tells it." },
  DeclineReason: { description: "Why a card was declined." },
  CreateOrderRequest: {
    fields: {
      reference: "Your own id of the order, unique among your orders.",
      total_amount: {
        description: "The whole price in Chilean pesos, without decimals; digits as text are accepted.",
        wireForm: {
          anyOf: [
            { type: "integer", minimum: 0, maximum: 999_999_999 },
            { type: "string", pattern: "^\\d{1,9}$" },
          ],
        },
      },
      customer: "The patient, who is also the debtor of the deferred part.",
      "customer.first_name": "Used for notifications.",
      "customer.last_name": "All surnames, as the patient writes them.",
      "customer.email": { description: "Left out, the answer is 400 `customer_email_required`.", required: true },
      provider_rut: "Which of your centres; for meta-providers, who must send it, and for nobody else.",
      items:
        "The lines of your bill: what it is, how many of it (1 if left out), and the amount of the whole line. Their amounts sum to `total_amount`. The patient sees them.",
    },
  },
  Order: {
    description: "An order. Read the fields that you need: more may be added.",
    fields: {
      ...orderFields,
      payments: "Every charge, the declined ones too.",
      refunds: "Every refund.",
      expense: "The receipt that you submitted for this order; null before.",
      claim: "The claim for the patient's reimbursement, once the order is paid and its receipt is there; null before.",
      missing_step:
        "Once it is paid, what the patient has still to do so that the claim can be filed; null if nothing. `insurer_access`: they have not given the password of their isapre's portal, which the checkout's end and our e-mails ask them for.",
      collection:
        "The charge of the deferred part and its commission; null before the payment and in `order.paid` itself: `latest_due_date` of the plan is its latest day.",
      tax_documents:
        "The boleta of each commission that was paid, and the nota de crédito of each that went back; none where the commission is interest.",
    },
  },
  OrderClaim: {
    fields: {
      status:
        "`queued`: it is being filed, or waits for a portal that is down. `held`: documents are missing that only you can send. `access_missing`, `access_blocked`: the patient has given no access to their isapre, or the isapre refuses it; we ask them. `stopped`: it is not filed or not followed any more. More may be added: pass over what you do not know.",
      missing_document_types:
        "With `held`: send the order's expense again with them, under the same `skip_pay_order_id`, and the claim is filed. `unlocked_receipt`: the receipt is a PDF that needs a password; send one without, which takes its place. `readable_photo`: a photo of yours could not be read. `other_document`: ask support which. More may be added.",
      rejection_code: "With `rejected`: the insurer's code, if it gives one. Its text goes to the patient alone.",
    },
  },
  TaxDocument: {
    fields: {
      amount: "The commission, VAT included.",
      number: "The document's own number; null until it is issued.",
      url: "Where the document can be read; null until it is issued.",
    },
  },
  PatientOrder: {
    description: "The order as `client_id` reads it: e-mail and phone masked, without the partner's own parts.",
    fields: {
      ...orderFields,
      paid_at: "When the first instalment was paid; null before.",
      deferred_cancelled: "What refunds took off the second instalment: it is charged so much less.",
      returned_amount: "What refunds gave back to cards, of the commission too.",
      transferred_amount: "What refunds owe the patient by bank transfer; absent where nothing.",
      bank_returned_amount: "What of refunds the patient's bank had given back before; absent where nothing.",
      paid_otherwise:
        "What of the second instalment was paid in another way than by card, commission included; absent where nothing was.",
      payment_method: "The card on file; never its number.",
      missing_step:
        "Once it is paid, what the patient has still to do so that their reimbursement can be claimed; null if nothing.",
      mandate_revoked:
        "Once it is paid, whether its patient has revoked the mandate for the later charge: what is left is not charged to their card.",
      signed_receipt:
        "Once it is paid, what the page is told in `completed`: a compact JWS; null once anything was refunded.",
    },
  },
  OrderPayment: {
    fields: {
      kind: `\`first\` is the ${FIRST_PERCENTAGE} % of today, \`deferred\` the rest with its commission.`,
      returned_amount: "What of it went back to the card; where `card` is null, what is owed back by bank transfer.",
      decline_reason: "Null unless `status` is `declined`.",
      decline_limit:
        "Beside `decline_reason`, if the issuer says so: the charge went beyond a limit of the card that the patient may be able to raise in their bank's app. `amount`: what it may pay at once or in a day. `uses`: how often.",
    },
  },
  OrderCollection: {
    fields: {
      due_at: "When the charge is due, as far as it is known.",
      reason: `What made it due: approval of the claim, blocked insurer access, day ${LATEST_COLLECTION_DAY}, or the patient's own wish. Null before.`,
    },
  },
  Plan: {
    description: `How the total is split: ${FIRST_PERCENTAGE} % now, ${DEFERRED_PERCENTAGE} % later, and the commission charged with the latter. Its \`regime\` is \`taxed_service\`, whose \`amount\` holds the \`vat\`, or \`interest\`, which has none.`,
  },
  RefundOrderRequest: {
    description: "A field of another name is refused, so that a misspelt `amount` does not return everything.",
    fields: {
      amount: {
        description: "Pesos to return. Left out: all that is left.",
        wireForm: { type: "integer", minimum: 1 },
      },
      refund_reference:
        "Your own id of the refund: the same one again is answered with the same refund, also a failed one; with another amount it is 422 `idempotency_key_reused`. An `Idempotency-Key` belongs to its refund for ever. Spaces around it do not count.",
    },
  },
  RefundOrderResponse: { description: "The order as it is now, and the refund.", fields: { ...orderFields } },
  Refund: {
    fields: {
      status:
        "`processing` while a charge of the order is unresolved, or while the card processor has the money under way to the card, which may take days; it is settled by itself, and nothing counts as refunded before it is. `failed`: a card gave nothing back, or a charge is disputed. What `moved` says stays; the rest may be refunded again, under another `refund_reference` and key. `order.refund_failed` tells it if the refund was answered `processing`.",
      refused_because:
        "Of a refund that failed because the card takes no money back, if the card processor says why. `too_old`: it returns no charge of that age, now or later; pay the patient by bank transfer. `disputed`: the patient's bank takes the charge back; pay nothing beside it.",
      moved:
        "What the refund has moved so far, each sum with the commission in it: `off_later_charge` is not charged any more, `to_cards` went back to cards, `by_bank` is what the patient's bank had given back before, and `by_transfer` is owed to the patient by bank transfer, because a debit or prepaid card takes no part of it. The patient is told the same sums.",
    },
  },
  ValidateIdentityRequest: {
    fields: { document_serial: "Nine digits, or a letter and nine digits; dots, spaces and dashes are dropped." },
  },
  PayOrderRequest: {
    fields: { consents: "What the patient accepted, with the hash of the very text that was shown." },
  },
  PayOrderResponse: {
    fields: {
      payment: "`requires_action`: show `action.url` to the patient. `processing`: read the order again shortly.",
    },
  },
  MintWidgetTokenRequest: {
    fields: {
      rut: "Whose session it is. With an `order_token`, the patient of that order.",
      user_data: "What you know of the patient, to fill the form in. Nothing of it is trusted.",
      order_token: "The `hash` of the order that is to be paid; left out, the patient only signs up.",
      long_term_token: `True: ${LONG_TERM_LIFETIME_DAYS} days instead of ${STANDARD_LIFETIME_MINUTES} minutes.`,
      expires_in_minutes: "A lifetime of your own; wins over `long_term_token`.",
      provider_data: "For meta-providers only: the sub-clinic that the patient sees.",
      parent_origin: "The origin of the page that will frame it; left out, all your registered origins may.",
      return_url:
        "Where a button takes the patient back to when the checkout is a page of its own: one of your registered return URLs, as it was registered.",
      qr: "True: the answer has `qr_svg` too, for a patient who pays on their own phone (guide: Front desk).",
      deliver: `Mails the address to the order's customer: \`email\` is the one of the order, and another is 422. Needs an \`order_token\`; at most ${CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX} an hour for one order.`,
      native: "True: your app opens the page in a web view and hears its messages (guide: Apps). No page may frame it.",
    },
  },
  MintWidgetTokenResponse: {
    fields: {
      url: "Hand it to the embed kit, load it in an iframe, or open it as a page of its own.",
      expires_at: "When the token ends.",
      qr_svg: "With `qr`: a QR code of `url` as an SVG image, black on white, without script or style.",
    },
  },
  WidgetSession: { description: "Everything that the widget shows, as the server knows it now." },
  SubmitExpenseByUrlRequest: {
    fields: {
      urls: {
        description: "Where the files are: HTTPS, public addresses. The first is the receipt, the others support it.",
        wireForm: {
          type: "array",
          items: { type: "string", format: "uri" },
          minItems: EXPENSE_FILES_MIN,
          maxItems: EXPENSE_FILES_MAX,
        },
        required: true,
      },
      ...Object.fromEntries(
        Object.entries(expenseFields).map(([name, { description = "", ...wireForm }]) => [
          name,
          { description, wireForm },
        ]),
      ),
    },
  },
  ExpenseResponse: {
    fields: {
      aapd: "True when the expense belongs to an order, so that its claim will be filed.",
      created: "False when this order had its expense already: then that one is answered.",
      submission_status:
        "`waiting_order`: filed when the order is paid. `not_enqueued`: no claim follows from it as it is: a document is missing (`missing_document_types`), it names no order, or its order was cancelled or refunded in full.",
      unread_fields:
        "Fields that could not be read. They are kept as they came; send the same order's expense again with them to have them read. Only until its claim is filed, and with the receipt beside them.",
      missing_document_types:
        "What the claim still needs, as far as it is known: send the same order's expense again with it. `unlocked_receipt`: the receipt is a PDF that needs a password to open; send one without, which takes its place. Only until its claim is filed. The insurer may ask for more when the claim is filed: then `claim` of the order says so. More values may be added: pass over what you do not know.",
    },
  },
  SubscriptionStatus: {
    fields: {
      is_subscribed: "The RUT has an active plan, or a valid free trial (fewer than 2 expenses sent).",
      is_free_trial: "True when that comes from the trial.",
    },
  },
  WebhookEvent: {
    fields: {
      event_id: "Process each id once: a delivery may be repeated.",
      sequence: "Counts per order: order what you receive by it.",
      reference: "Your own id of the order.",
      failure: "With `order.failed` only: why no payment is possible any more.",
      refund_id: "With `order.refund_failed` only: the `id` of the refund in `data.order.refunds`.",
      "data.order": "The order as it was at this moment.",
    },
  },
  ErrorBody: {
    description: "Every error answer, but for an order endpoint's 404. Match on `code`: words may change.",
    fields: {
      detail: "Words for people.",
      code: { description: "One of the closed list.", wireForm: { type: "string" } },
      errors: "With `validation_error` and the like: each thing that is amiss, and where.",
      request_id: "With 5xx: tell it to support. Also in `X-Request-Id`.",
    },
  },
  OrderNotFoundBody: {
    description: "An order endpoint's 404: `detail` is an object.",
    fields: { code: { description: "The same as `detail.error_code`.", wireForm: { type: "string" } } },
  },
};
