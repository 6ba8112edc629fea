import { createHash } from "node:crypto";
import type { FilledText } from "../../contract/agreement.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { SERVICE_NAME } from "../../notifications/mail-layout.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import type { OrderRecord } from "../order-record.ts";
import { type DocumentClinic, momentInWords, withRut } from "./receipt-document.ts";
import type { Section, SetDocument } from "./set-document.ts";

export interface AgreementFacts {
  readonly clinic: DocumentClinic;
  readonly letterhead: SetDocument["letterhead"];
  readonly order: Pick<OrderRecord, "reference" | "customer">;
  readonly consultationDay: CalendarDay | null;
  /** Null for the current texts, before any agreement. */
  readonly agreedAt: Date | null;
  readonly texts: readonly FilledText[];
  readonly locale: Locale;
  readonly madeAt: Date;
}

const WORDS = {
  "es-CL": {
    file: "contrato.pdf",
    title: "Tu contrato",
    parties: "Partes y aceptación",
    clinic: "Clínica",
    patient: "Paciente",
    reference: "Referencia",
    consultation: "Fecha de la atención",
    agreed: "Aceptado el",
    notAgreed: "Todavía no aceptado",
    how: "Aceptado electrónicamente por el paciente. Los textos que siguen son, palabra por palabra, los que se le mostraron.",
    version: "Versión",
    hash: "Huella SHA-256 del texto",
    contact: "Dudas y reclamos",
  },
  en: {
    file: "contract.pdf",
    title: "Your contract",
    parties: "Parties and acceptance",
    clinic: "Clinic",
    patient: "Patient",
    reference: "Reference",
    consultation: "Date of the consultation",
    agreed: "Accepted on",
    notAgreed: "Not accepted yet",
    how: "Accepted electronically by the patient. The texts that follow are, word for word, those that were shown.",
    version: "Version",
    hash: "SHA-256 of the text",
    contact: "Questions and complaints",
  },
} as const satisfies Readonly<Record<Locale, object>>;

/** The texts of an agreement as one document: the parties, the acceptance, and each text from a new page. */
export function agreementDocument(facts: AgreementFacts): SetDocument {
  const { letterhead, order, texts, madeAt } = facts;
  // The texts keep the language in which they were accepted, and the words around them use the same language.
  const locale = texts[0]?.locale ?? facts.locale;
  const words = WORDS[locale];
  return {
    name: words.file,
    locale,
    title: words.title,
    foot: `${words.title} · ${order.reference} · ${SERVICE_NAME}`,
    letterhead,
    madeAt,
    sections: [partiesSection(facts, locale), ...texts.map((text) => textSection(text, locale))],
  };
}

function partiesSection({ clinic, order, consultationDay, agreedAt }: AgreementFacts, locale: Locale): Section {
  const words = WORDS[locale];
  const { customer, reference } = order;
  const ways = [clinic.supportEmail, ...(clinic.supportPhone === null ? [] : [clinic.supportPhone])];
  return {
    title: words.parties,
    rows: [
      [words.clinic, withRut(clinic.name, clinic.rut)],
      [words.patient, withRut(`${customer.firstName} ${customer.lastName}`, customer.rut)],
      [words.reference, reference],
      ...(consultationDay === null ? [] : [[words.consultation, dayInWords(consultationDay, locale)] as const]),
      [words.agreed, agreedAt === null ? words.notAgreed : momentInWords(agreedAt, locale)],
      [words.contact, ways.join(" · ")],
    ],
    blocks: agreedAt === null ? [] : [{ type: "paragraph", text: words.how }],
  };
}

function textSection({ title, version, blocks }: FilledText, locale: Locale): Section {
  const words = WORDS[locale];
  const hash = createHash("sha256")
    .update([title, ...blocks.map(({ text }) => text)].join("\n"))
    .digest("hex");
  return { title, note: `${words.version} ${version} · ${words.hash}: ${hash}`, startsPage: true, blocks };
}
