import { CODE_DIGITS, CODE_LIFETIME_MINUTES, OBJECTION_HOURS } from "bff/contract/terms";
import type { Locale } from "bff/contract/widget-tokens";

/** Texts for a RUT that is registered under another e-mail. Loaded with its screens. */
export interface RecoveryWords {
  readonly title: string;
  readonly intro: (emailHint: string) => string;
  readonly byCode: string;
  readonly byCodeText: (emailHint: string) => string;
  readonly byIdentity: string;
  readonly byIdentityText: string;
  readonly mistyped: string;
  readonly mistypedText: string;
  readonly mistypedFixed: (provider: string) => string;
  readonly identityTitle: string;
  readonly identityIntro: string;
  readonly newEmail: string;
  readonly newEmailHint: string;
  readonly identityAction: string;
  readonly codeTitle: string;
  readonly codeIntro: (sentTo: string) => string;
  readonly codeHint: string;
  readonly resent: string;
  readonly notice: string;
}

export const RECOVERY_WORDS: Readonly<Record<Locale, RecoveryWords>> = {
  "es-CL": {
    title: "Tu RUT ya está registrado",
    intro: (emailHint) => `Está registrado con otro correo: ${emailHint}. Elige cómo seguir.`,
    byCode: "Recibir un código en ese correo",
    byCodeText: (emailHint) => `Te enviamos ${CODE_DIGITS} dígitos a ${emailHint}.`,
    byIdentity: "Ya no uso ese correo",
    byIdentityText: "Confirma tu identidad con tu cédula y registra un correo nuevo.",
    mistyped: "Escribí mal mi RUT",
    mistypedText: "Vuelve al formulario para corregirlo.",
    mistypedFixed: (provider) => `El RUT lo informó ${provider}. Pide que lo corrijan y vuelve a empezar.`,
    identityTitle: "Confirma que eres tú",
    identityIntro: "Revisamos tu cédula y te enviamos un código al correo nuevo.",
    newEmail: "Correo nuevo",
    newEmailHint: "Ahí te llega el código.",
    identityAction: "Enviar código",
    codeTitle: "Escribe el código",
    codeIntro: (sentTo) => `Lo enviamos a ${sentTo}. Vence en ${CODE_LIFETIME_MINUTES} minutos.`,
    codeHint: "Si no llega, revisa tu correo no deseado.",
    resent: "Te enviamos otro código.",
    notice: `Avisaremos a tu correo anterior. Por ${OBJECTION_HOURS} horas se puede anular el cambio desde ahí. Tendrás que ingresar de nuevo tu tarjeta y tu clave.`,
  },
  en: {
    title: "Your RUT is already registered",
    intro: (emailHint) => `It is registered with another e-mail: ${emailHint}. Choose how to continue.`,
    byCode: "Get a code at that e-mail",
    byCodeText: (emailHint) => `We send ${CODE_DIGITS} digits to ${emailHint}.`,
    byIdentity: "I no longer use that e-mail",
    byIdentityText: "Confirm your identity with your identity card and register a new e-mail.",
    mistyped: "I mistyped my RUT",
    mistypedText: "Go back to the form to correct it.",
    mistypedFixed: (provider) => `The RUT was given by ${provider}. Ask them to correct it and start again.`,
    identityTitle: "Confirm it is you",
    identityIntro: "We check your identity card and send a code to your new e-mail.",
    newEmail: "New e-mail",
    newEmailHint: "The code goes there.",
    identityAction: "Send code",
    codeTitle: "Enter the code",
    codeIntro: (sentTo) => `We sent it to ${sentTo}. It expires in ${CODE_LIFETIME_MINUTES} minutes.`,
    codeHint: "If it does not arrive, check your spam folder.",
    resent: "We sent you another code.",
    notice: `We will notify your previous e-mail. For ${OBJECTION_HOURS} hours the change can be undone from there. You will need to enter your card and password again.`,
  },
};
