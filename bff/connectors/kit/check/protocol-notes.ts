import type { FieldDescriptions } from "../../../src/partner-docs/openapi-document.ts";

/** The description of an operation, and of the fields that need more than their shared words. */
export interface OperationNote {
  readonly description: string;
  /** By path, such as `account.bank`. */
  readonly input?: FieldDescriptions;
  /** Fields of the outcome or answer, of all its forms. */
  readonly answer?: FieldDescriptions;
}

/** Descriptions of fields that mean the same in every operation, by name. */
export const protocolFields: FieldDescriptions = {
  after: "The `next` of the previous page; null for the first page.",
  alg: "Encryption algorithm. Always `RSA-OAEP-256`.",
  amount: "Amount in whole Chilean pesos.",
  at: "When it happened. ISO 8601, UTC.",
  authenticationId: "The processor's id of the authentication.",
  authorisationCode: "The issuer's authorisation code, shown on the receipt. Omit it if there is none.",
  brand: "Card network; `other` if none of the listed ones.",
  buyOrder: "The processor's own payment order, such as Transbank's `buy_order`. Omit it if there is none.",
  cardId: "The processor's id of the order's card.",
  chargeId: "The processor's id of the charge.",
  claimId: "The connector's id of the claim, the same for every filing of the order.",
  customer: "The service's id of the patient's record. It reveals nothing about the patient.",
  e: "RSA public exponent, base64url.",
  display: "`window` if the page cannot be framed. `frame`, the default: the widget frames it.",
  expMonth: "Month in which the card expires, 1 to 12. Omit it if you do not know it; then omit the year too.",
  expYear: "Year in which the card expires, four digits. Omit it if you do not know it; then omit the month too.",
  expiresAt: "From then on the page has no effect. ISO 8601, UTC.",
  from: "Start of the range, included. ISO 8601, UTC.",
  id: "The party's own id of this entry.",
  idempotencyKey: "The key of the call that caused it.",
  items: "The entries of this page, oldest first.",
  kid: "Id of the key. The JWE repeats it in its header.",
  kty: "Key type. Always `RSA`.",
  last4: "Last four digits of the card number.",
  loanId: "The lender's id of the loan.",
  n: "RSA modulus, base64url.",
  networkTransactionId: "The card network's id of the transaction. Omit it if there is none.",
  next: "Sent as `after` in the request for the following page; null on the last page.",
  orderHash: "The order, by its hash.",
  outcome: "The result, which decides the other fields. `not_found` binds: a late call then has no effect.",
  providerId: "Id of the provider (clinic) that the request is about.",
  provider_id: "Id of the provider (clinic) that the request is about.",
  returnId: "The processor's id of the return, the same while it is pending and once it is made.",
  returnUrl: "Address to which the page returns at its end, by GET or POST.",
  rut: "RUT of the patient.",
  storeCode: "The merchant code of the shop. Omit it if there is none.",
  storedCardId: "The processor's id of the kept card.",
  to: "End of the range, excluded. ISO 8601, UTC.",
  use: "Use of the key. Always `enc`.",
};

const cardOfOrder = {
  card: "The card that was registered for the order.",
  "card.id": "The processor's id of the card, never its number.",
  "card.holderName": "Name of the holder, as on the card. Omit it if you do not know it.",
  "card.authenticatedAt":
    "When the issuer authenticated the holder for this registration: evidence against a chargeback. Omit it if it did not. ISO 8601, UTC.",
  "card.kind": "Type of card: `credit`, `debit` or `prepaid`.",
  reason: "Why the card was declined.",
};

/** By the path of the operation. */
export const protocolNotes: Readonly<Record<string, OperationNote>> = {
  "/card-processor/sealing-key": {
    description: "Returns the public key with which browsers seal a card, and what else the processor offers.",
    answer: {
      cardPage:
        "`also`: the processor has its own page for cards too. `only`: it accepts cards only there, without a key.",
      cardPageDisplay:
        "`window` if that page cannot be framed: the patient's press opens a window for it. Otherwise omitted.",
      removesCards: "True if the processor removes an order's card on request. Otherwise omitted.",
      limits: "The most that the processor charges. Omitted if it has no limits.",
      "limits.perCharge": "The most in one charge, in whole Chilean pesos. Omitted if there is no such limit.",
      "limits.perPatientDay":
        "The most that one patient is charged in a day, in whole Chilean pesos. Omitted if there is no such limit.",
    },
  },
  "/card-processor/register-card": {
    description:
      "Registers a card for an order, without a charge. The card's id also names the mandate for later charges.",
    input: {
      sealedCard: "The card as a compact JWE; null if the patient enters it on the processor's page.",
      returnUrl: "Address to which the processor's page returns. Omitted if the card must be sealed.",
      about: "What the processor's page shows of the order. Omitted with a sealed card, and by earlier versions.",
      "about.clinic": "Name of the clinic that treats the patient.",
      "about.total": "Price of the treatment in whole Chilean pesos.",
    },
    answer: { ...cardOfOrder, url: "Address of the processor's page, which the patient opens." },
  },
  "/card-processor/keep-card": {
    description: "Keeps an order's card for later orders of the same customer.",
  },
  "/card-processor/register-stored-card": {
    description: "Registers a kept card for one order, as a separate card with its own mandate.",
    answer: cardOfOrder,
  },
  "/card-processor/forget-card": {
    description: "Forgets a kept card. Cards that were registered from it for orders stay.",
  },
  "/card-processor/remove-card": {
    description: "Removes an order's card, which can then no longer be charged. Its charges can still be returned.",
  },
  "/card-processor/kept-cards": {
    description: "Lists the cards that the processor keeps for a customer.",
    answer: { cards: "The kept cards, with their present data." },
  },
  "/card-processor/authenticate": {
    description: "Starts strong authentication of a patient who pays now or registers a card for a later charge.",
    input: {
      amount: "Amount in whole Chilean pesos. With `mandate`: the amount still due, which may be 0.",
      purpose: "`payment`: the amount is charged next. `mandate`: nothing is charged; the card is for a later charge.",
      returnUrl: "Address to which the challenge returns at its end, by GET or POST.",
    },
    answer: {
      reason: "Why the authentication was declined.",
      url: "Address of the challenge, which the widget frames.",
    },
  },
  "/card-processor/charge": {
    description: "Charges a card, once per key.",
    input: {
      initiator: "`patient`: the patient pays now, on the page. `merchant`: a later charge under the mandate.",
      authenticationId:
        "With `patient`: this payment's authentication. With `merchant`: the mandate's, if the card replaced another. Null: the issuer required none.",
      initialChargeId:
        "With `merchant`: the patient's own charge with this card. Null for a card that was registered later, and with `patient`.",
      initialNetworkTransactionId:
        "With `merchant`: the network's id of that charge or authentication. Omitted if the processor reported none.",
    },
    answer: {
      amount: "The captured amount in whole Chilean pesos.",
      hard: "True if the card will never work again, so that it must not be retried.",
      instalments: "Number of instalments; 0 or 1 is none. Omit it if it is not known.",
      limit: "The limit that the charge exceeds: `amount` (at once or per day) or `uses`. Omitted for other declines.",
      reason: "Why the card was declined.",
    },
  },
  "/card-processor/return": {
    description: "Returns captured money to its card, at once or within days.",
    answer: {
      amount: "The returned amount in whole Chilean pesos.",
      endsBy: "Latest time at which the inquiry reports the end, at most 30 days ahead. ISO 8601, UTC.",
      reason: "`too_old`: it can never be returned. `disputed`: the bank takes it back. Omitted for anything else.",
    },
  },
  "/card-processor/movements": {
    description: "Lists the charges, returns and chargebacks of a provider in a range of time, for reconciliation.",
    answer: { "items.kind": "Type of movement.", "items.chargeId": "The charge, also for its return or chargeback." },
  },
  "/card-processor/settlements": {
    description: "Lists the settlements that the processor paid to a provider in a range of time.",
    answer: {
      "items.amount":
        "The amount paid in: charges and reversals less returns, chargebacks, fees and their VAT. May be negative.",
      "items.at": "When it was paid. ISO 8601, UTC.",
      "items.lines": "The movements that the settlement contains. They sum to its amount.",
      "items.lines.id": "The processor's id of the movement; for a `fee` any id that is unique in the settlement.",
      "items.lines.kind": "Type of line. `fee` belongs to no movement.",
      "items.lines.idempotencyKey": "The key of the call that caused it; null if the service requested none.",
      "items.lines.orderHash": "The order, by its hash; null if the line belongs to none.",
      "items.lines.amount": "The whole amount of the movement, never negative; 0 for a `fee`.",
      "items.lines.fee": "The fee that the processor keeps, without VAT; negative if it returns a fee.",
      "items.lines.feeVat": "VAT of the fee.",
    },
  },
  "/financing-provider/authorise-loan": {
    description: "Requests a loan for the deferred part of an order.",
    answer: { reasons: "Objective reasons in plain Spanish, which the law requires in writing." },
  },
  "/financing-provider/confirm-loan": {
    description: "Confirms a loan after the first instalment was captured: the lender pays it out.",
    answer: { reasons: "Objective reasons in plain Spanish, which the law requires in writing." },
  },
  "/financing-provider/reduce-loan": {
    description: "Reduces an authorised or confirmed loan by an amount. Reducing it to zero cancels it.",
    input: { amount: "The reduction in whole Chilean pesos." },
    answer: { remaining: "The amount of the loan after the reduction." },
  },
  "/financing-provider/report-loan": {
    description: "Reports to the lender how a confirmed loan ended, perhaps for now only.",
    input: {
      end: "How the loan ended. One in arrears may still be collected, written off or refunded.",
      amount: "The amount collected, in arrears, written off or refunded, in whole Chilean pesos.",
    },
  },
  "/financing-provider/loans": {
    description: "Lists the loans of a provider that changed in a range of time, for reconciliation.",
    answer: {
      items: "The loans of this page.",
      "items.idempotencyKey": "The key of the call that requested the loan.",
      "items.amount": "The amount that remains after all reductions, in whole Chilean pesos.",
      "items.status": "State of the loan.",
    },
  },
  "/identity-registry/check": {
    description: "Checks whether an identity document is valid and belongs to a RUT.",
    input: { serial: "Serial number of the document: capital letters and digits.", documentType: "Type of document." },
    answer: {
      outcome: "Result of the check. `unavailable`: the registry cannot answer now.",
      isUnderAge: "For a match: whether the holder is a minor. Omit it if the registry does not report it.",
    },
  },
  "/insurer/sealing-key": {
    description: "Returns the public key with which browsers seal the password of an isapre's portal.",
  },
  "/insurer/file-claim": {
    description: "Files the claim of an order with the patient's isapre. A repeat under another key is the same claim.",
    input: {
      insurer: "The patient's isapre.",
      orderHash: "The order, by its hash; null for a claim without an order.",
      total: "Total of the receipt in whole Chilean pesos; null if it is not known.",
      sealedAccess: "RUT and portal password as a compact JWE; null if the patient gave none.",
      documents: "The documents of the claim, ten at most.",
      "documents.name": "File name.",
      "documents.type": "Media type of the file.",
      "documents.content": "The bytes of the file, in base64.",
    },
    answer: { missing: "Names of the documents that the claim still lacks." },
  },
  "/insurer/claim": {
    description: "Returns the isapre's decision about a claim. It is queried instead of inquired about.",
    answer: {
      reimbursed: "The amount that the isapre reimburses, in whole Chilean pesos.",
      at: "When the isapre decided. ISO 8601, UTC.",
      reason: "The isapre's reason for the patient.",
      code: "The isapre's own code of the rejection, for the clinic. Omit it if there is none.",
    },
  },
  "/bank/transfer": {
    description: "Transfers money to a provider's or patient's account.",
    input: {
      account: "The account to pay into. The bank refuses it if the holder differs.",
      "account.bank": "Name of the bank, or its SBIF code, as the payee gave it.",
      "account.account_type": "`checking` (cuenta corriente), `sight` (cuenta vista) or `savings` (cuenta de ahorro).",
      "account.account_number": "Account number, digits only.",
      "account.holder_name": "Name of the account holder.",
      "account.holder_rut": "RUT of the account holder.",
      bankCode: "SBIF code of the account's bank, such as `037`. Omitted if `account.bank` names no bank of the list.",
      reference: "Text on the payee's bank statement.",
    },
    answer: {
      transferId: "The bank's id of the transfer, the same while it is pending and afterwards.",
      endsBy: "The latest time at which the transfer ends, at most 30 days ahead. ISO 8601, UTC.",
      reason: "Why nothing was paid, or why the money came back.",
      returnedAt: "When the money came back. ISO 8601, UTC.",
    },
  },
  "/bank/transfers": {
    description: "Lists the transfers for a provider in a range of time, and their returns, for reconciliation.",
    answer: {
      "items.kind": "`return`: the whole amount of a sent transfer came back. Omitted by earlier versions: `transfer`.",
      "items.idempotencyKey": "The key of the transfer, also for its return.",
      "items.reason": "Why the money came back. Omitted for a transfer.",
      "items.at": "When the money left or came back. ISO 8601, UTC.",
      "items.reference": "The reference that was given with the transfer.",
      "items.accountEnding": "Last four digits of the account.",
    },
  },
  "/tax-documents/issue": {
    description: "Issues a boleta electrónica for a commission, or a nota de crédito that corrects one.",
    input: {
      kind: "`boleta`, or `credit_note` for a nota de crédito.",
      issuer: "The company that issues the document.",
      "issuer.name": "Legal name of the issuer.",
      "issuer.rut": "RUT of the issuer.",
      receiverRut: "RUT of the patient, who receives the document.",
      receiverName: "Name of the patient. Omitted if it was erased, and by earlier versions.",
      day: "Day of the charge, or of the return. ISO 8601.",
      net: "Amount without VAT, in whole Chilean pesos.",
      vat: "VAT in whole Chilean pesos.",
      exempt:
        "Amount that is exempt from VAT, in whole Chilean pesos: interest, on a boleta exenta (type 41). `net` and `vat` are then 0. Omitted if nothing is exempt.",
      corrects: "Number of the boleta that a nota de crédito corrects; null for a boleta.",
    },
    answer: {
      number:
        "Number (folio) of the document. With `rejected`: of the document that the tax authority rejected after it was issued.",
      url: "Address of the document.",
      reason: "Why nothing was issued. The service may request it again under another key.",
    },
  },
  "/tax-documents/documents": {
    description: "Lists the documents issued for a provider in a range of time, for reconciliation.",
    answer: {
      "items.kind": "`boleta`, or `credit_note` for a nota de crédito.",
      "items.number": "Number (folio) of the document.",
      "items.amount": "Amount in whole Chilean pesos, VAT included.",
      "items.rejected": "Whether the tax authority rejected the document after it was issued. Omitted if it did not.",
    },
  },
  "/messenger/send": {
    description: "Sends a short message to a phone. A message that is refused is not repeated.",
    input: {
      to: "Phone number in E.164.",
      text: "Text of the message: what the template says when it is filled.",
      template: "For gateways that send only approved templates. Omitted by earlier versions.",
      "template.name": "The kind of notification.",
      "template.language": "`es-CL` or `en`.",
      values: "The values that fill the template, by name, formatted in its language. None is empty.",
    },
    answer: { reason: "Why the message was refused." },
  },
  "/messenger/send-email": {
    description: "Sends a mail, only in environments without SMTP.",
    input: {
      to: "E-mail address of the recipient.",
      subject: "Subject of the mail.",
      text: "Body as plain text.",
      html: "Body as HTML.",
      attachments: "Attached files. Omitted if there are none.",
      "attachments.name": "File name.",
      "attachments.type": "Media type of the file.",
      "attachments.base64": "The bytes of the file, in base64.",
    },
    answer: { reason: "`no_smtputf8` if the recipient's server lacks it. Omitted for anything else." },
  },
};
