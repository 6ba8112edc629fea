import { type Clp, formatClp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { NotificationDefinition, Row } from "../notification-definition.ts";

/** The boleta of a commission, or the nota de crédito of a returned one, was issued. */
export interface TaxDocumentIssued {
  readonly firstName: string;
  readonly clinic: string;
  readonly document: "boleta" | "credit_note";
  readonly number: string;
  readonly url: string;
  readonly amount: Clp;
  readonly vat: Clp;
  /** Whether the commission is interest, which is exempt from VAT. */
  readonly isExempt: boolean;
  /** Name and RUT. */
  readonly issuer: string;
}

export const taxDocument: NotificationDefinition<TaxDocumentIssued> = {
  mail: {
    "es-CL": ({ firstName, clinic, document, number, url, amount, vat, isExempt, issuer }) => {
      const name = document === "boleta" ? "Boleta electrónica" : "Nota de crédito";
      const why =
        document === "boleta"
          ? "Esta es la boleta de la comisión que pagaste con tu atención"
          : "Esta es la nota de crédito de la comisión que te devolvimos de tu atención";
      return {
        subject: `${name} N° ${number}`,
        paragraphs: [`Hola, ${firstName}. ${why} en ${clinic}.`],
        amounts: [[isExempt ? "Comisión (interés, exenta de IVA)" : "Comisión (IVA incluido)", formatClp(amount)]],
        table: [...(isExempt ? [] : parts({ amount, vat }, "Neto", "IVA")), ["Emitida por", issuer]],
        link: { label: `Ver ${name.toLowerCase()}`, url },
      };
    },
    en: ({ firstName, clinic, document, number, url, amount, vat, isExempt, issuer }) => {
      const name = document === "boleta" ? "Receipt (boleta electrónica)" : "Credit note";
      const why =
        document === "boleta"
          ? "This is the boleta for the fee that you paid with your consultation"
          : "This is the credit note for the fee that we returned for your consultation";
      return {
        subject: `${name} No. ${number}`,
        paragraphs: [`Hello, ${firstName}. ${why} at ${clinic}.`],
        amounts: [[isExempt ? "Fee (interest, exempt from VAT)" : "Fee (VAT included)", formatClp(amount)]],
        table: [...(isExempt ? [] : parts({ amount, vat }, "Net", "VAT")), ["Issued by", issuer]],
        link: { label: document === "boleta" ? "View the boleta" : "View the credit note", url },
      };
    },
  },
  message: null,
};

function parts(
  { amount, vat }: Pick<TaxDocumentIssued, "amount" | "vat">,
  netLabel: string,
  vatLabel: string,
): readonly Row[] {
  return [
    [netLabel, formatClp(subtractClp(amount, vat))],
    [vatLabel, formatClp(vat)],
  ];
}
