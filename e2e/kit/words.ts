/*
 * The checkout's texts that a test reads or presses, in Spanish and in English. `widget/src/words/e2e-words.test.ts`
 * compares them with the checkout's own. `…` stands for an amount.
 */

type Text = readonly [spanish: string, english: string];

export const WORDS = {
  summary: ["Atiéndete ahora, paga después", "Get care now, pay later"],
  continue: ["Continuar", "Continue"],

  patient: ["Tus datos", "Your details"],
  edit: ["Editar", "Edit"],
  firstName: ["Nombres", "First names"],
  lastName: ["Apellidos", "Surnames"],
  email: ["Correo electrónico", "E-mail"],
  phone: ["Celular", "Mobile phone"],
  insurer: ["Tu isapre", "Your isapre"],
  addPassword: ["Agregar la clave de tu isapre", "Add your isapre's password"],
  password: ["Clave de tu isapre", "Your isapre's password"],

  code: ["Código de 6 dígitos", "6-digit code"],
  sendCode: ["Enviarme el código", "Send me the code"],
  confirmCode: ["Confirmar", "Confirm"],
  skipCode: ["Seguir sin código", "Continue without a code"],

  identity: ["Confirma tu identidad", "Confirm your identity"],
  serial: ["Número de documento", "Document number"],
  confirmIdentity: ["Confirmar identidad", "Confirm identity"],

  card: ["Tu tarjeta", "Your card"],
  anotherCard: ["Otra tarjeta", "Another card"],
  cardNumber: ["Número de tarjeta", "Card number"],
  expiry: ["Vencimiento", "Expiry date"],
  securityCode: ["Código CVV", "Security code"],
  holder: ["Nombre en la tarjeta", "Name on the card"],
  keepCard: ["Guardar tarjeta", "Keep the card"],
  useAnotherCard: ["Usa otra tarjeta", "Use another card"],
  useOtherCard: ["Usar otra tarjeta", "Use another card"],
  openCardPage: ["Inscribir mi tarjeta", "Add my card"],
  leaveCardPage: ["Salir sin inscribir", "Leave without adding it"],

  review: ["Revisa y paga", "Review and pay"],
  change: ["Cambiar", "Change"],
  pay: ["Pagar …", "Pay …"],
  leaveBank: ["Salir sin confirmar", "Leave without confirming"],
  done: ["¡Listo! Tu pago está hecho", "Done! Your payment is made"],

  myData: ["Mis datos", "My data"],
  sendLink: ["Enviarme el enlace", "Send me the link"],
  checkMail: ["Revisa tu correo", "Check your e-mail"],

  access: ["El acceso a tu isapre", "Access to your isapre"],
  giveAccess: ["Dar acceso", "Give access"],
  accessGiven: ["Listo, seguimos con tu reembolso", "Done, we go on with your reimbursement"],
  newCard: ["Tu nueva tarjeta", "Your new card"],
  useCard: ["Usar esta tarjeta", "Use this card"],
  payNow: ["Pagar … ahora", "Pay … now"],
  cardChanged: ["Listo, cambiamos tu tarjeta", "Done, your card is changed"],
  paidInFull: ["Listo, tu pago está completo", "Done, your payment is complete"],
} as const satisfies Record<string, Text>;

type Name = keyof typeof WORDS;

const alternatives = (names: readonly Name[]): string =>
  names
    .flatMap((name) => WORDS[name])
    .map((text) => text.replaceAll(/[.?*+^$()[\]{}|\\]/g, "\\$&").replaceAll("…", ".+"))
    .join("|");

/** Matches one of the texts, whole, in either language. */
export function either(...names: readonly Name[]): RegExp {
  return new RegExp(`^(?:${alternatives(names)})$`);
}

/** Matches what contains one of the texts, in either language. */
export function containing(...names: readonly Name[]): RegExp {
  return new RegExp(alternatives(names));
}
