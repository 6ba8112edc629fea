import type { Locale } from "../../contract/widget-tokens.ts";

/**
 * The text below a button that leads to the isapre's password: where it leads, what the page asks before the password,
 * and how to get help without the button. Without a button, who can help.
 */
export function accessSafety(
  locale: Locale,
  { clinic, accessUrl }: { readonly clinic: string; readonly accessUrl: string | null },
): readonly string[] {
  const words = WORDS[locale];
  const how = accessUrl === null ? [words.ask(clinic)] : [words.page(new URL(accessUrl).host), words.without(clinic)];
  return [...how, words.never];
}

const WORDS = {
  "es-CL": {
    page: (host: string) =>
      `El botón abre ${host}. Antes de tu clave, esa página te pide un código que llega a este correo. Tu clave viaja cifrada y solo se usa para pedir tu reembolso.`,
    without: (clinic: string) =>
      `¿Prefieres no usar el botón? Llama o ve a ${clinic} y pide allá la página para dar acceso.`,
    ask: (clinic: string) => `Para dar acceso, llama o ve a ${clinic} y pide ayuda.`,
    never: "Nunca te pediremos tu clave por teléfono, por mensaje ni en un correo.",
  },
  en: {
    page: (host: string) =>
      `The button opens ${host}. Before your password, that page asks for a code sent to this e-mail. Your password is encrypted and used only to claim your reimbursement.`,
    without: (clinic: string) =>
      `Prefer not to use the button? Call or visit ${clinic} and ask for the page to give access.`,
    ask: (clinic: string) => `To give access, call or visit ${clinic} and ask for help.`,
    never: "We never ask for your password by phone, in a message or in an e-mail.",
  },
} as const satisfies Readonly<Record<Locale, object>>;
