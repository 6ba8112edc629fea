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
        `Hola, ${firstName}. Nos pediste ${RIGHTS_REQUEST_WORDS["es-CL"][type]}. ${isGranted ? "Aceptamos tu solicitud." : "No aceptamos tu solicitud."}`,
        `Nuestra respuesta: ${answer}`,
        ...(type === "blocking"
          ? ["Con esta respuesta termina el bloqueo de tus datos, y lo que estaba detenido continúa."]
          : []),
        ...(isGranted
          ? []
          : ["Si no estás de acuerdo, puedes reclamar ante la Agencia de Protección de Datos Personales o el SERNAC."]),
      ],
    }),
    en: ({ firstName, type, isGranted, answer }) => ({
      subject: "We answered your request",
      paragraphs: [
        `Hello, ${firstName}. You asked us ${RIGHTS_REQUEST_WORDS.en[type]}. ${isGranted ? "We accepted your request." : "We did not accept your request."}`,
        `Our answer: ${answer}`,
        ...(type === "blocking"
          ? ["This answer ends the block on your data, and whatever was on hold continues."]
          : []),
        ...(isGranted
          ? []
          : [
              "If you do not agree, you may complain to the data protection agency (APDP) or the consumer agency (SERNAC).",
            ]),
      ],
    }),
  },
  message: null,
};
