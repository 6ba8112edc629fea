import type { RightsRequestKind } from "../../contract/patient-rights.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** A patient's request to a person, worded for use in a sentence. */
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

/** A patient has made a request to a person under the data law. */
export interface RightsRequested {
  readonly firstName: string;
  readonly type: RightsRequestKind;
  /** The last day for the answer. */
  readonly answerBy: CalendarDay;
}

export const rightsRequested: NotificationDefinition<RightsRequested> = {
  mail: {
    "es-CL": ({ firstName, type, answerBy }) => ({
      subject: "Recibimos tu solicitud",
      paragraphs: [
        `Hola, ${firstName}. Nos pediste ${RIGHTS_REQUEST_WORDS["es-CL"][type]}. Una persona lo verá y te responderá a este correo a más tardar el ${dayInWords(answerBy, "es-CL")}.`,
        ...(type === "blocking"
          ? [
              "Desde ahora y hasta que te respondamos no presentamos reembolsos por ti y no cobramos tu tarjeta por nuestra cuenta, salvo un cobro que ya esté en curso. Lo que debes no cambia, y puedes pagarlo cuando quieras.",
            ]
          : []),
        "Si no lo pediste, escríbenos.",
      ],
    }),
    en: ({ firstName, type, answerBy }) => ({
      subject: "We have your request",
      paragraphs: [
        `Hello, ${firstName}. You asked us ${RIGHTS_REQUEST_WORDS.en[type]}. A person will look into it and reply to this e-mail address by ${dayInWords(answerBy, "en")}.`,
        ...(type === "blocking"
          ? [
              "From now until we answer, we file no reimbursements for you and make no charge to your card on our own, except for a charge already in progress. What you owe does not change, and you may pay it at any time.",
            ]
          : []),
        "If you did not ask for it, write to us.",
      ],
    }),
  },
  message: null,
};
