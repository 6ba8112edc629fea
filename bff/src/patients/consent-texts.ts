import { createHash } from "node:crypto";
import type { ConsentPurpose } from "../contract/orders.ts";
import type { ConsentText, Locale } from "../contract/widget-tokens.ts";

/**
 * The texts that a patient is asked to accept, each with its own unticked box. A text is never edited: a changed one
 * gets a new version, and every accepted text is stored word for word. Amounts and dates are in the quote, which is
 * stored with the consent.
 */
interface Wording {
  readonly purpose: ConsentPurpose;
  readonly step: ConsentText["step"];
  readonly required: boolean;
  readonly version: string;
  readonly words: Readonly<Record<Locale, string>>;
}

const WORDINGS: readonly Wording[] = [
  {
    purpose: "terms_and_credit",
    step: "payment",
    required: true,
    version: "2026-11-23",
    words: {
      "es-CL":
        "Acepto el contrato, con su hoja de resumen y su aviso de privacidad, y el crédito que aparece en el resumen: pago hoy la primera parte con mi tarjeta y la entidad que financia paga el resto a la clínica. Revisé el monto, la comisión, el costo total, la CAE y la fecha límite. Puedo pagar antes sin costo adicional.",
      en: "I accept the contract, with its summary sheet and its privacy notice, and the credit shown in the summary: I pay the first part today with my card, and the financing entity pays the rest to the clinic. I have checked the amount, the commission, the total cost, the annual cost (CAE) and the latest date. I may pay earlier at no extra cost.",
    },
  },
  {
    purpose: "later_charge",
    step: "payment",
    required: true,
    version: "2026-11",
    words: {
      "es-CL":
        "Autorizo guardar mi tarjeta y hacer en ella un solo cobro más, por el resto y la comisión que aparecen en el resumen. Se hará cuando mi isapre apruebe el reembolso, cuando el acceso a mi isapre lleve 3 días bloqueado o, a más tardar, el día 45. Se hará aunque la isapre reembolse menos o no reembolse.",
      en: "I authorise keeping my card and making one more charge to it, for the rest and the commission shown in the summary. It is made when my isapre approves the reimbursement, when access to my isapre has been blocked for 3 days or, at the latest, on day 45. It is made even if the isapre reimburses less, or nothing.",
    },
  },
  {
    purpose: "claim_mandate",
    step: "onboarding",
    required: true,
    version: "2026-11",
    words: {
      "es-CL":
        "Doy mandato para presentar en mi nombre, ante mi isapre, las solicitudes de reembolso de mis atenciones y consultar su resultado. Puedo dejar sin efecto este mandato cuando quiera.",
      en: "I give a mandate to file reimbursement claims for my consultations with my isapre on my behalf, and to ask for their outcome. I may revoke this mandate at any time.",
    },
  },
  {
    purpose: "health_data",
    step: "onboarding",
    required: true,
    version: "2026-11",
    words: {
      "es-CL":
        "Autorizo usar los datos de salud de mis boletas, órdenes médicas y recetas solo para presentar mis reembolsos. Puedo ver esos datos, pedir una copia y retirar esta autorización cuando quiera.",
      en: "I authorise the use of the health data in my receipts, medical orders and prescriptions only to file my reimbursements. I may see these data, ask for a copy and withdraw this authorisation at any time.",
    },
  },
  {
    purpose: "insurer_access",
    step: "onboarding",
    required: false,
    version: "2026-11",
    words: {
      "es-CL":
        "Autorizo guardar cifrada la clave del portal de mi isapre y usarla solo para presentar y revisar mis reembolsos. Puedo borrarla cuando quiera.",
      en: "I authorise keeping the password of my isapre's portal encrypted, and using it only to file and follow my reimbursements. I may delete it at any time.",
    },
  },
  {
    purpose: "saved_card",
    step: "card",
    required: false,
    version: "2026-11",
    words: {
      "es-CL":
        "Guardar esta tarjeta para mis próximas atenciones. La guarda el procesador de tarjetas. Solo se usa cuando confirmo con un código que soy yo y apruebo ese pago. Puedo borrarla cuando quiera en Mis datos.",
      en: "Keep this card for my next consultations. The card processor keeps it. It is used only when I confirm by a code that it is me and approve that payment. I may remove it at any time in My data.",
    },
  },
  {
    purpose: "marketing",
    step: "onboarding",
    required: false,
    version: "2026-11",
    words: {
      "es-CL": "Quiero recibir novedades y ofertas por correo. Es opcional y puedo darme de baja cuando quiera.",
      en: "I want to receive news and offers by e-mail. This is optional, and I may unsubscribe at any time.",
    },
  },
];

const LOCALES: readonly Locale[] = ["es-CL", "en"];

const TEXTS: Readonly<Record<Locale, readonly ConsentText[]>> = {
  "es-CL": WORDINGS.map((wording) => toText(wording, "es-CL")),
  en: WORDINGS.map((wording) => toText(wording, "en")),
};

function toText({ purpose, step, required, version, words }: Wording, locale: Locale): ConsentText {
  const text = words[locale];
  const text_sha256 = createHash("sha256").update(text, "utf8").digest("hex");
  return { purpose, step, required, text_version: version, text, text_sha256 };
}

/** The current texts in one language for the widget's session, or only those of one `step`. */
export function consentTexts(locale: Locale, step?: ConsentText["step"]): readonly ConsentText[] {
  return TEXTS[locale].filter((text) => step === undefined || text.step === step);
}

/** A current text, with the language in which it was shown. */
export interface ShownText {
  readonly locale: Locale;
  readonly text: ConsentText;
}

/** The current text, in any language, that was accepted; `null` if the text is not, or no longer, current. */
export function findShownText(given: {
  readonly purpose: ConsentPurpose;
  readonly text_version: string;
  readonly text_sha256: string;
}): ShownText | null {
  for (const locale of LOCALES) {
    const text = TEXTS[locale].find(
      (candidate) =>
        candidate.purpose === given.purpose &&
        candidate.text_version === given.text_version &&
        candidate.text_sha256 === given.text_sha256,
    );
    if (text !== undefined) return { locale, text };
  }
  return null;
}
