import type { SchemaNotes } from "./schema-note.ts";

const uuid = { type: "string", format: "uuid" } as const;
const rutWords =
  "With its check digit: with a dash (dots optional), or nine characters without one. Responses use `12345678-5`.";

/** Values that occur in many bodies. */
export const valueNotes: SchemaNotes = {
  Clp: { description: "Chilean pesos. An integer without decimals.", wireForm: { type: "integer" } },
  Email: {
    description:
      "An e-mail address, in any alphabet. Stored and returned with its domain in ASCII (IDNA) and the local part in NFC, lower-cased where it is not ASCII.",
    wireForm: {
      type: "string",
      format: "idn-email",
      maxLength: 254,
      examples: ["camila@example.com", "ñandú@example.cl"],
    },
  },
  OrderHash: { description: "The `hash` of an order.", wireForm: uuid },
  WidgetToken: { description: "A widget token. A UUID.", wireForm: uuid },
  Phone: {
    description: "A phone number in any common form (`9 1234 5678`, `+56 9 1234 5678`). Stored as E.164.",
    wireForm: { type: "string", maxLength: 64 },
  },
  Rut: {
    description: `A Chilean national id (RUT). ${rutWords}`,
    wireForm: { type: "string", maxLength: 64, examples: ["76.900.001-1", "76900001-1"] },
  },
  PersonRut: {
    description: `The RUT (Chilean national id) of a person. ${rutWords}`,
    wireForm: { type: "string", maxLength: 64, examples: ["40.100.000-3", "40100000-3"] },
  },
  PersonName: { description: "A name on one line, without control or zero-width characters." },
  Timestamp: { description: "ISO 8601, UTC." },
  CalendarDay: { description: "`YYYY-MM-DD`, a day in America/Santiago." },
  ExistingDay: { description: "`YYYY-MM-DD`, a day in America/Santiago that exists." },
  QuotedAmount: { description: "An amount in Chilean pesos, digits only." },
  Origin: {
    description: "A web origin: scheme, host and optional port, without a path. Example: `https://clinic.example`.",
  },
  ReturnUrl: {
    description:
      "A page (`https://clinic.example/paid`) or an address of your app's own scheme (`cl.clinic.app:/paid`, RFC 8252).",
  },
  Locale: { description: "Language: Chilean Spanish or English." },
  SealedValue: {
    description: "A compact JWE (RSA-OAEP-256, A256GCM) made by the widget. The service cannot decrypt it.",
  },
  SealingKey: {
    description: "A public RSA key as JWK (RFC 7517), which the browser encrypts to.",
    fields: {
      kty: "Key type. Always `RSA`.",
      kid: "Id of the key. The JWE repeats it in its header.",
      alg: "Encryption algorithm. Always `RSA-OAEP-256`.",
      use: "Use of the key. Always `enc`.",
      n: "RSA modulus, base64url.",
      e: "RSA public exponent, base64url.",
    },
  },
  CardBrand: { description: "Card network; `other` if the processor reports none of these." },
  CardKind: { description: "Type of card. Debit and prepaid cards cannot take back every refund." },
  PaymentMethod: {
    description: "A card on file. The service never sees its number.",
    fields: {
      id: "The card processor's id for the card.",
      last4: "Last four digits of the card number.",
      holder_name: "Name of the cardholder, as typed. Absent if the card processor does not report it.",
    },
  },
  DeclinedCard: {
    description: "A card that its issuer declined for a reason that another try does not change.",
    fields: {
      id: "The card processor's id for the card.",
      last4: "Last four digits of the card number.",
      holder_name: "Name of the cardholder, as typed. Absent if the card processor does not report it.",
      decline_reason: "Why it was declined. Absent if the issuer does not say.",
    },
  },
  SavedCard: {
    description: "A card that the patient saved for later orders.",
    fields: { id: "Id of the saved card." },
  },
  BankAccount: {
    description: "Bank account for payouts. The bank refuses transfers whose holder differs from the payee.",
    fields: {
      bank: "Name of the bank, or its three-digit code (SBIF), such as `037`.",
      account_type: "`checking` (cuenta corriente), `sight` (cuenta vista) or `savings` (cuenta de ahorro).",
      account_number: "Account number, digits only.",
      holder_name: "Name of the account holder.",
      holder_rut: "RUT of the account holder.",
    },
  },
  EventType: { description: "What the service knows about the patient, no finer than the subscription lookup." },
  InsurerChoice: {
    description:
      "Health insurer of the patient. `fonasa` and `none` can be chosen but answer 422 `insurer_not_supported`.",
  },
  DocumentType: { description: "`CEDULA`: Chilean id card. `CEDULA_EXT`: id card of a foreign resident." },
  ConsentPurpose: { description: "What the patient consents to. Each purpose has its own text." },
  CommissionRegime: { description: "`taxed_service`: the commission includes VAT. `interest`: it has none." },
  LegalTextKind: {
    description: "Which text: contract, summary sheet, right of withdrawal or privacy notice. More may be added.",
  },
  LegalTextName: {
    description: "Identifies a legal text in all its languages.",
    fields: { version: "Version of the text. The wording of a version never changes." },
  },
};
