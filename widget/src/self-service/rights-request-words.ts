import type { CorrectedField, RightsRequestKind } from "bff/contract/patient-rights";
import type { PageWords } from "./link-page.ts";

interface RightsRequestWords {
  readonly heading: string;
  readonly text: string;
  readonly open: string;
  readonly title: string;
  readonly intro: string;
  readonly what: string;
  readonly choose: string;
  readonly uses: string;
  readonly kinds: Readonly<Record<RightsRequestKind, string>>;
  readonly fields: Readonly<Record<CorrectedField, string>>;
  readonly review: (provider: string, reference: string) => string;
  readonly words: string;
  readonly wordsHint: string;
  readonly action: string;
  readonly asked: (day: string) => { readonly title: string; readonly text: string };
  readonly back: string;
  readonly openUntil: (day: string) => string;
  readonly answered: Readonly<Record<"granted" | "refused", string>>;
}

export const RIGHTS_REQUEST_WORDS: PageWords<RightsRequestWords> = {
  "es-CL": {
    heading: "Pedirle algo a una persona",
    text: "Puedes pedir que corrijamos un dato, que dejemos de usarlos para algo, que los bloqueemos por ahora o que una persona revise un crédito rechazado.",
    open: "Hacer una solicitud",
    title: "¿Qué nos pides?",
    intro: "Lo verá una persona y te responderá a tu correo.",
    what: "Solicitud",
    choose: "Elige una",
    uses: "Otras solicitudes",
    kinds: {
      rectification: "Corregir un dato",
      opposition: "Dejar de usar mis datos para algo",
      blocking: "Bloquear mis datos por ahora",
      credit_review: "Revisar un crédito rechazado",
    },
    fields: { first_name: "Mi nombre", last_name: "Mis apellidos", phone_number: "Mi celular", other: "Otro dato" },
    review: (provider, reference) => `Revisar el crédito rechazado: ${provider}, ${reference}`,
    words: "Cuéntanos",
    wordsHint: "Si es un nombre o un celular, escribe solo el correcto. Si bloqueas tus datos, lo que debes no cambia.",
    action: "Enviar la solicitud",
    asked: (day) => ({
      title: "Recibimos tu solicitud",
      text: `Te responderemos a tu correo a más tardar el ${day}.`,
    }),
    back: "Volver a mis datos",
    openUntil: (day) => `Te responderemos a más tardar el ${day}.`,
    answered: { granted: "Aceptada.", refused: "No aceptada." },
  },
  en: {
    heading: "Ask a person for something",
    text: "You may ask us to correct something, to stop using your data for something, to block it for now, or to have a person look at a refused credit.",
    open: "Make a request",
    title: "What do you ask for?",
    intro: "A person sees it and answers to your e-mail.",
    what: "Request",
    choose: "Choose one",
    uses: "Other requests",
    kinds: {
      rectification: "Correct something",
      opposition: "Stop using my data for something",
      blocking: "Block my data for now",
      credit_review: "Look again at a refused credit",
    },
    fields: {
      first_name: "My first name",
      last_name: "My last names",
      phone_number: "My mobile",
      other: "Something else",
    },
    review: (provider, reference) => `Look again at the refused credit: ${provider}, ${reference}`,
    words: "Tell us",
    wordsHint:
      "For a name or a mobile, write only the right one. If you block your data, what you owe does not change.",
    action: "Send the request",
    asked: (day) => ({ title: "We have your request", text: `We will answer to your e-mail by ${day}.` }),
    back: "Back to my data",
    openUntil: (day) => `We will answer by ${day}.`,
    answered: { granted: "Accepted.", refused: "Not accepted." },
  },
};
