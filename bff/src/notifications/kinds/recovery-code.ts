import { CODE_LIFETIME_MINUTES } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** The effect of a code. */
export type CodeUse =
  /** The data entered on the clinic's page takes effect. `total` is the order's total, if there is an order. */
  | { readonly kind: "confirm_registration"; readonly clinic: string; readonly total: Clp | null }
  /** Registers a RUT with the mailbox that the code is sent to. */
  | { readonly kind: "move_mailbox"; readonly clinic: string; readonly maskedRut: string }
  | { readonly kind: "open_data" }
  | { readonly kind: "give_access"; readonly clinic: string }
  | { readonly kind: "change_card"; readonly clinic: string }
  | {
      /** `open_payment`: the page of a payment, which can also charge. */
      readonly kind: "pay_early" | "open_payment";
      readonly clinic: string;
      /** The amount and card of the charge; null if there is nothing to charge. */
      readonly charge: { readonly amount: Clp; readonly cardEnding: string } | null;
    };

/** A one-time code that the patient has requested. */
export interface RecoveryCode {
  readonly code: string;
  readonly use: CodeUse;
}

interface UseWords {
  /** Completes "Tu código para …". */
  readonly purpose: string;
  readonly sentence: string;
}

function spanish(use: CodeUse): UseWords {
  switch (use.kind) {
    case "confirm_registration": {
      const visit = use.total === null ? "" : ` para pagar una atención de ${formatClp(use.total)}`;
      return {
        purpose: "confirmar tus datos",
        sentence: `Con este código confirmas que tú llenaste tus datos en la página de ${use.clinic}${visit}. Al usarlo quedan registrados los datos y, si se escribió ahí, la clave de tu isapre.`,
      };
    }
    case "move_mailbox":
      return {
        purpose: "registrar este correo",
        sentence: `Con este código el RUT ${use.maskedRut} queda registrado con este correo. Se pidió en la página de ${use.clinic}.`,
      };
    case "open_data":
      return {
        purpose: "ver tus datos",
        sentence: "Con este código puedes ver, descargar, corregir y borrar tus datos.",
      };
    case "give_access":
      return {
        purpose: "dar acceso a tu isapre",
        sentence: `Con este código entregas la clave de tu isapre para pedir el reembolso de tu atención en ${use.clinic}.`,
      };
    case "change_card":
      return {
        purpose: "cambiar tu tarjeta",
        sentence: `Con este código cambias la tarjeta del segundo cobro de tu atención en ${use.clinic}.`,
      };
    case "open_payment": {
      const charge =
        use.charge === null
          ? ""
          : ` y puedes pagar ahora lo que queda: ${formatClp(use.charge.amount)} con tu tarjeta terminada en ${use.charge.cardEnding}`;
      return {
        purpose: "ver tu pago",
        sentence: `Con este código ves tu pago de la atención en ${use.clinic}${charge}.`,
      };
    }
    case "pay_early": {
      const charge =
        use.charge === null
          ? ""
          : ` y puedes pagarlo ahora: ${formatClp(use.charge.amount)} con tu tarjeta terminada en ${use.charge.cardEnding}`;
      return {
        purpose: "pagar el segundo cobro",
        sentence: `Con este código ves el segundo cobro de tu atención en ${use.clinic}${charge}.`,
      };
    }
  }
}

function english(use: CodeUse): UseWords {
  switch (use.kind) {
    case "confirm_registration": {
      const visit = use.total === null ? "" : ` to pay for a consultation of ${formatClp(use.total)}`;
      return {
        purpose: "confirm your details",
        sentence: `With this code you confirm that you filled in your details on the page of ${use.clinic}${visit}. Using it registers the details typed there and, if it was typed, the password of your isapre (private health insurer).`,
      };
    }
    case "move_mailbox":
      return {
        purpose: "register this e-mail",
        sentence: `This code registers the RUT ${use.maskedRut} with this e-mail address. It was requested on the page of ${use.clinic}.`,
      };
    case "open_data":
      return {
        purpose: "see your data",
        sentence: "With this code you can see, download, correct and erase your data.",
      };
    case "give_access":
      return {
        purpose: "give access to your isapre",
        sentence: `With this code you give the password of your isapre (private health insurer) to claim the reimbursement of your consultation at ${use.clinic}.`,
      };
    case "change_card":
      return {
        purpose: "change your card",
        sentence: `With this code you change the card for the second charge of your consultation at ${use.clinic}.`,
      };
    case "open_payment": {
      const charge =
        use.charge === null
          ? ""
          : ` and pay the rest now: ${formatClp(use.charge.amount)} with your card ending in ${use.charge.cardEnding}`;
      return {
        purpose: "see your payment",
        sentence: `With this code you can see your payment for the consultation at ${use.clinic}${charge}.`,
      };
    }
    case "pay_early": {
      const charge =
        use.charge === null
          ? ""
          : ` and pay it now: ${formatClp(use.charge.amount)} with your card ending in ${use.charge.cardEnding}`;
      return {
        purpose: "pay the second charge",
        sentence: `With this code you can see the second charge of your consultation at ${use.clinic}${charge}.`,
      };
    }
  }
}

const WORDS: Readonly<Record<Locale, (use: CodeUse) => UseWords>> = { "es-CL": spanish, en: english };

export const recoveryCode: NotificationDefinition<RecoveryCode> = {
  isOtp: true,
  mail: {
    "es-CL": ({ code, use }) => ({
      subject: `Tu código para ${WORDS["es-CL"](use).purpose}`,
      paragraphs: [
        WORDS["es-CL"](use).sentence,
        `Vence en ${CODE_LIFETIME_MINUTES} minutos. No lo compartas con nadie: nunca te lo pediremos por teléfono ni por mensaje.`,
        "Si no lo pediste tú, no lo escribas en ninguna parte. Sin el código no pasa nada.",
      ],
      code,
    }),
    en: ({ code, use }) => ({
      subject: `Your code to ${WORDS.en(use).purpose}`,
      paragraphs: [
        WORDS.en(use).sentence,
        `It expires in ${CODE_LIFETIME_MINUTES} minutes. Do not share it with anyone: we never ask for it by telephone or in a message.`,
        "If you did not ask for it, do not type it anywhere. Without the code nothing happens.",
      ],
      code,
    }),
  },
  message: null,
};
