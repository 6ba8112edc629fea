import { USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX, USUAL_CLAIM_ANSWER_WORKING_DAYS_MIN } from "../../contract/terms.ts";
import { type NotificationDefinition, shortMessage } from "../notification-definition.ts";

/** A claim was filed with the insurer. */
export interface ClaimFiled {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
}

export const claimFiled: NotificationDefinition<ClaimFiled> = {
  mail: {
    "es-CL": ({ firstName, clinic, insurer }) => ({
      subject: "Presentamos tu reembolso",
      paragraphs: [
        `Hola, ${firstName}. Presentamos en ${insurer} el reembolso de tu atención en ${clinic}.`,
        `La respuesta suele tardar entre ${USUAL_CLAIM_ANSWER_WORKING_DAYS_MIN} y ${USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX} días hábiles. Te avisaremos cuando llegue.`,
      ],
    }),
    en: ({ firstName, clinic, insurer }) => ({
      subject: "We claimed your reimbursement",
      paragraphs: [
        `Hello, ${firstName}. We claimed the reimbursement of your consultation at ${clinic} from ${insurer}, your isapre (private health insurer).`,
        `An answer usually takes ${USUAL_CLAIM_ANSWER_WORKING_DAYS_MIN} to ${USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX} working days. We will tell you when it arrives.`,
      ],
    }),
  },
  message: shortMessage({
    values: ({ insurer }) => ({ insurer }),
    words: {
      "es-CL": ({ insurer }) => `presentamos en ${insurer} el reembolso de tu atención. Te avisaremos cuando responda.`,
      en: ({ insurer }) =>
        `we claimed the reimbursement of your consultation from ${insurer}. We will tell you when it answers.`,
    },
    goes: "by_day",
  }),
};
