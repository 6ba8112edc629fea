import type { SchemaNotes } from "./schema-note.ts";

export const errorNotes: SchemaNotes = {
  ErrorBody: {
    description: "Body of every error, except the 404 of an order endpoint. Match on `code`: texts may change.",
    fields: {
      detail: "Explanation for people. English for partners, Spanish for patients.",
      code: { description: "Error code from the closed list.", wireForm: { type: "string" } },
      errors: "With `validation_error` and similar codes: each invalid field. Absent otherwise.",
      request_id: "With 5xx only: the id to quote to support. Also in the `X-Request-Id` header.",
      order_hash: "With `duplicate_reference`: the `hash` of the order that has the reference.",
      webhook_endpoint_id: "With `webhook_endpoint_exists`: the endpoint that already has the URL.",
      attempts_left: "With a rejected identity or code: attempts that remain.",
      decline_reason: "With `card_declined`: why the card was declined.",
      challenge_ends_at:
        "With `payment_in_progress`: when the issuer's challenge ends (ISO 8601, UTC). Another card can be used then.",
      decline_limit: "With `decline_reason`: the card limit that was exceeded. Absent if the issuer does not say.",
      collection_status:
        "With `widget_token_used`: state of the later charge. Only for callers who entered the link's code.",
      card_last4: "With `collection_status`: last four digits of the card on file for the later charge.",
      erasure_status: "With `widget_token_used`, on a link to the patient's data: state of the erasure.",
      reasons: "With `credit_declined`: the financing provider's reasons, in plain Spanish.",
      first_instalment: "With `credit_declined`: what happened to the first instalment.",
      quote: "With `quote_changed`: the current quote, to show to the patient again.",
      reason:
        "With `refund_refused`: `charge_disputed` (the patient's bank disputes the charge) or `card_refused` (the card takes no money back).",
      refused_because: "With `card_refused`: the card processor's reason. Absent if it gives none.",
      email_hint: "With `RUT_OTHER_EMAIL`: the registered e-mail address, masked.",
      recovery: "With `RUT_OTHER_EMAIL`: ways to recover the RUT, for `POST /api/spot/user/recovery`.",
    },
  },
  OrderNotFoundBody: {
    description: "The 404 of an order endpoint: `detail` is an object.",
    fields: {
      detail: "The error as an object. Only 404s of order endpoints have this form.",
      "detail.error_code": "The same as `code`.",
      "detail.message": "Explanation for people.",
      code: { description: "The same as `detail.error_code`.", wireForm: { type: "string" } },
    },
  },
  FieldIssue: {
    description: "One invalid field. It never contains the value itself.",
    fields: { path: "Path of the field, such as `customer.rut`.", message: "What is wrong with it, in English." },
  },
  DeclineReason: { description: "Why a card was declined." },
  DeclineLimit: {
    description:
      "The card limit that was exceeded. `amount`: what it may pay at once or per day. `uses`: how often it may be used.",
  },
  RefundRefusal: {
    description:
      "Why a card takes no money back. `too_old`: the charge is too old for the processor. `disputed`: the patient's bank takes the charge back.",
  },
  RefusedInstalment: {
    description:
      "What happened to the first instalment of a refused credit. `not_returned`: it was charged, and support returns it in another way because the card takes no money back.",
  },
  CollectionStatus: { description: "State of the charge of the deferred part." },
  ErasureStatus: { description: "State of a request to erase the patient's data." },
};
