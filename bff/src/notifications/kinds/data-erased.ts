import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** The patient's data was erased at their request. */
export interface DataErased {
  /** Whether name and address are kept for now, because a payment or claim is still open. */
  readonly isWaiting: boolean;
}

export const dataErased: NotificationDefinition<DataErased> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: null,
};

function mailInSpanish({ isWaiting }: DataErased): MailWords {
  const law =
    "Guardamos solo lo que la ley nos obliga a conservar: el registro de los pagos y de lo que aceptaste y retiraste.";
  if (!isWaiting) return { subject: "Borramos tus datos", paragraphs: ["Borramos tus datos, como lo pediste.", law] };
  return {
    subject: "Estamos borrando tus datos",
    paragraphs: [
      "Ya borramos tus documentos y la clave de tu isapre, y no presentaremos más reembolsos por ti.",
      "Conservamos tu nombre y este correo mientras quede algo por cobrar o haya un pago o una devolución en curso. Después los borraremos sin que tengas que pedirlo otra vez. Lo que debes no cambia.",
      law,
    ],
  };
}

function mailInEnglish({ isWaiting }: DataErased): MailWords {
  const law =
    "We keep only what the law obliges us to keep: the record of the payments and of what you accepted and withdrew.";
  if (!isWaiting) return { subject: "We erased your data", paragraphs: ["We erased your data, as you asked.", law] };
  return {
    subject: "We are erasing your data",
    paragraphs: [
      "We have already erased your documents and the password of your isapre, and we will claim no more reimbursements for you.",
      "We keep your name and this e-mail while something is still to be charged or a payment or refund is in progress. After that we will erase them without you having to ask again. What you owe does not change.",
      law,
    ],
  };
}
