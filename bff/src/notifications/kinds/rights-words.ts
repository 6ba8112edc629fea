import type { RightsRequestKind } from "../../contract/patient-rights.ts";
import type { Locale } from "../../contract/widget-tokens.ts";

/** What a patient has asked of a person, as it is named in a sentence. */
export const RIGHTS_REQUEST_WORDS: Readonly<Record<Locale, Readonly<Record<RightsRequestKind, string>>>> = {
  "es-CL": {
    rectification: "corregir un dato",
    opposition: "dejar de usar tus datos para algo",
    blocking: "bloquear tus datos por ahora",
    credit_review: "que una persona revise el crédito que fue rechazado",
  },
  en: {
    rectification: "to correct something",
    opposition: "to stop using your data for something",
    blocking: "to block your data for now",
    credit_review: "to have a person look at the credit that was refused",
  },
};
