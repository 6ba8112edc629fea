import { createHash } from "node:crypto";
import type { ConsentPurpose } from "../contract/orders.ts";
import type { AmountQuote } from "../contract/quote.ts";
import { formatClp } from "../contract/vocabulary/clp.ts";
import type { ConsentText, Locale } from "../contract/widget-tokens.ts";
import { dayInWords } from "../platform/day-in-words.ts";

/**
 * The texts that a patient is asked to accept, each with its own unticked box. A text is never edited: a changed one
 * gets a new version. `{{today}}`, `{{later_charge}}` and `{{latest_date}}` are filled from the order's quote. The hash
 * of these words names a text. It is stored word for word, with the figures that were shown.
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
    version: "2026-11-28",
    words: {
      "es-CL":
        "Acepto el contrato, la hoja de resumen, el aviso de privacidad y el crédito: pago {{today}} hoy y {{later_charge}} en el segundo cobro.",
      en: "I accept the contract, the summary sheet, the privacy notice and the credit: I pay {{today}} today and {{later_charge}} in the second charge.",
    },
  },
  {
    purpose: "later_charge",
    step: "payment",
    required: true,
    version: "2026-11-28",
    words: {
      "es-CL":
        "Autorizo guardar mi tarjeta y cobrarle una vez más {{later_charge}}: cuando mi isapre apruebe, si su acceso lleva 3 días bloqueado o, a más tardar, el {{latest_date}}. Aunque la isapre reembolse menos o nada.",
      en: "I authorise keeping my card and charging it {{later_charge}} once more: when my isapre approves, if access to it has been blocked for 3 days or, at the latest, on {{latest_date}}. Even if my isapre reimburses less, or nothing.",
    },
  },
  {
    purpose: "claim_mandate",
    step: "onboarding",
    required: true,
    version: "2026-11-28",
    words: {
      "es-CL":
        "Doy mandato para pedir mis reembolsos a mi isapre y ver qué responde. Puedo dejarlo sin efecto cuando quiera.",
      en: "I give a mandate to claim my reimbursements from my isapre and see what it answers. I can revoke it at any time.",
    },
  },
  {
    purpose: "health_data",
    step: "onboarding",
    required: true,
    version: "2026-11-28",
    words: {
      "es-CL":
        "Autorizo usar los datos de salud de mis boletas, órdenes y recetas solo para pedir mis reembolsos. Puedo retirarlo cuando quiera.",
      en: "I authorise the use of the health data in my receipts, orders and prescriptions only to claim my reimbursements. I can withdraw this at any time.",
    },
  },
  {
    purpose: "insurer_access",
    step: "onboarding",
    required: false,
    version: "2026-11-28",
    words: {
      "es-CL":
        "Autorizo guardar cifrada la clave de mi isapre y usarla solo para pedir y revisar mis reembolsos. Puedo borrarla cuando quiera.",
      en: "I authorise keeping my isapre's password encrypted and using it only to claim and follow my reimbursements. I can delete it at any time.",
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
  return { purpose, step, required, text_version: version, text, text_sha256: sha256Of(text) };
}

export function sha256Of(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** The current texts in one language for the widget's session, or only those of one `step`. */
export function consentTexts(locale: Locale, step?: ConsentText["step"]): readonly ConsentText[] {
  return TEXTS[locale].filter((text) => step === undefined || text.step === step);
}

/** The figures of the quote that the texts of a payment contain, in words. */
export type ConsentFigures = Readonly<Record<"today" | "later_charge" | "latest_date", string>>;

/** The figures of a quote that the texts of a payment show. */
export function consentFigures(
  quote: Pick<AmountQuote, "today" | "later_charge" | "latest_due_date">,
  locale: Locale,
): ConsentFigures {
  return {
    today: formatClp(quote.today),
    later_charge: formatClp(quote.later_charge),
    latest_date: dayInWords(quote.latest_due_date, locale),
  };
}

/** A text as the patient reads it. Its hash is still that of the wording. */
export function fillConsent(text: ConsentText, figures: ConsentFigures): ConsentText {
  const values: Readonly<Record<string, string>> = figures;
  return { ...text, text: text.text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole) };
}

/** A current text, with the language in which it was shown. */
export interface ShownText {
  readonly locale: Locale;
  readonly text: ConsentText;
}

/** The current text, in any language, that was accepted; null if the accepted text is not current. */
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
