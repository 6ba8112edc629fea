import type { RightsRequestKind } from "../../contract/patient-rights.ts";
import type { NotificationDefinition } from "../notification-definition.ts";
import { RIGHTS_REQUEST_WORDS } from "./rights-requested.ts";

/** A person has answered a patient's request under the data law. */
export interface RightsAnswered {
  readonly firstName: string;
  readonly type: RightsRequestKind;
  readonly isGranted: boolean;
  /** The text written by that person. */
  readonly answer: string;
}

export const rightsAnswered: NotificationDefinition<RightsAnswered> = {
  mail: {
    "es-CL": ({ firstName, type, isGranted, answer }) => ({
      subject: "Respondimos tu solicitud",
      paragraphs: [
        `Hola, ${firstName}. Nos pediste ${RIGHTS_REQUEST_WORDS["es-CL"][type]}. ${isGranted ? "Lo aceptamos." : "No lo aceptamos."}`,
        `Nuestra respuesta: ${answer}`,
        ...(type === "blocking" ? ["Tus datos ya no están bloqueados: lo que estaba detenido sigue."] : []),
        ...(isGranted
          ? []
          : ["Si no estás de acuerdo, puedes reclamar ante la Agencia de Protección de Datos Personales o el SERNAC."]),
      ],
    }),
    en: ({ firstName, type, isGranted, answer }) => ({
      subject: "We answered your request",
      paragraphs: [
        `Hello, ${firstName}. You asked us ${RIGHTS_REQUEST_WORDS.en[type]}. ${isGranted ? "We accept it." : "We do not accept it."}`,
        `Our answer: ${answer}`,
        ...(type === "blocking" ? ["Your data is no longer blocked: what was stopped goes on."] : []),
        ...(isGranted
          ? []
          : ["If you do not agree, you may complain to the data protection agency (APDP) or to the SERNAC."]),
      ],
    }),
  },
  message: null,
};
