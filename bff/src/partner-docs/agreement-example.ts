import type { AgreementFile, FilledText } from "../contract/agreement.ts";
import type { CalendarFile, PdfFile } from "../contract/order-files.ts";

const texts: FilledText[] = [
  {
    kind: "summary_sheet",
    version: "2026-12",
    locale: "es-CL",
    title: "Hoja de resumen",
    blocks: [
      { type: "item", text: "Crédito: $28.000, que te presta Financiera de Prueba." },
      { type: "item", text: "Una sola cuota: $30.800, a más tardar el 4 de enero de 2027." },
    ],
  },
];

/** An example before the payment. */
export const agreementExample = { agreed_at: null, texts };

/** Only the first bytes of a file. */
export const agreementFileExample: AgreementFile = {
  name: "contrato.pdf",
  type: "application/pdf",
  base64: "JVBERi0xLjcKJf////8K",
};

export const receiptFileExample: PdfFile = { ...agreementFileExample, name: "comprobante.pdf" };

/** Only the first line of a file. */
export const calendarFileExample: CalendarFile = {
  name: "segundo-cobro.ics",
  type: "text/calendar",
  base64: "QkVHSU46VkNBTEVOREFSDQo=",
};
