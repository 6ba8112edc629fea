import type { SchemaNotes } from "./schema-note.ts";

const offerFields = {
  total: "The price of the service in Chilean pesos.",
  today: "First instalment in Chilean pesos, paid by card at the checkout.",
  later: "Deferred part in Chilean pesos, without commission.",
  commission: "Commission in Chilean pesos, charged with the deferred part.",
  commission_percentage: "Commission in percent.",
  commission_regime: "How the commission is taxed. Absent from quotes recorded before the field existed.",
  later_charge: "The later charge in Chilean pesos: the deferred part plus the commission.",
  total_cost: "Everything that the patient pays in Chilean pesos, commission included.",
  annual_cost_percentage:
    "Carga anual equivalente (annual percentage rate), two decimals, if the later charge is made on its latest day.",
  latest_due_date: "Latest day of the later charge: `YYYY-MM-DD`, America/Santiago.",
  financing_provider: "Name of the company that finances the deferred part.",
  triggers: "What causes the later charge; whichever comes first.",
  "triggers.approval": "The insurer approves the claim.",
  "triggers.access_blocked_days": "Days without access to the insurer after which the charge is made.",
  "triggers.latest_day": "Days after the payment on which the charge is made at the latest.",
};

export const quoteNotes: SchemaNotes = {
  AmountQuote: { description: "What an amount would cost now, in two parts.", fields: offerFields },
  Quote: {
    description: "The offer for an order. The version that the patient accepts is stored as shown.",
    fields: {
      ...offerFields,
      texts: "The legal texts that the patient agrees to; read them at `GET /orders/{hash}/agreement`.",
      sha256: "Hash of all other fields. Send it as `quote_sha256` with the payment.",
    },
  },
  QuoteHash: { description: "Hash of a quote, in lower-case hexadecimal." },
  "readQuote query": { fields: { amount: "Price of the service in Chilean pesos, digits only." } },
  Agreement: {
    description: "The legal texts of an order, filled in with its figures.",
    fields: {
      agreed_at: "When the patient accepted these texts (ISO 8601, UTC). Null for current texts not accepted yet.",
      texts: "The texts, in the order in which they are shown.",
    },
  },
  FilledText: {
    description: "A legal text with the figures of the order.",
    fields: {
      version: "Version of the text. The wording of a version never changes.",
      title: "Title of the text.",
      blocks: "Headings, paragraphs and list items, in order.",
    },
  },
  TextBlock: {
    description: "One part of a text.",
    fields: { type: "How to show it.", text: "Plain text, without markup." },
  },
  AgreementFile: {
    description: "All texts of an agreement as one PDF.",
    fields: { name: "File name to offer for the download.", type: "Media type. Always `application/pdf`." },
  },
  ReceiptFile: {
    description: "The receipt of a paid order as a PDF.",
    fields: { name: "File name to offer for the download.", type: "Media type. Always `application/pdf`." },
  },
  CalendarFile: {
    description: "The second charge as an iCalendar file (RFC 5545).",
    fields: { name: "File name to offer for the download.", type: "Media type. Always `text/calendar`." },
  },
  OrderDocument: {
    description: "`receipt`: the receipt. `agreement`: the accepted contract. `calendar`: the second charge.",
  },
  OrderFile: {
    description: "A file of a paid order.",
    fields: { name: "File name to offer for the download.", type: "Media type." },
  },
  ReadAgreementQuery: {
    fields: { locale: "Language until the patient agrees. After that, the language that they were shown is used." },
  },
};
