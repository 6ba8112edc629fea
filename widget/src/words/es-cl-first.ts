import {
  CHARGE_TRIES_MAX,
  CHARGE_TRIES_WINDOW_DAYS,
  CODE_DIGITS,
  CODE_LIFETIME_MINUTES,
  DEFERRED_PERCENTAGE,
  FIRST_PERCENTAGE,
} from "bff/contract/terms";
import { formatPercentage, partsOfDay, partsOfMoment } from "./format.ts";
import type { FirstWords } from "./words.ts";

const MONTHS = [
  "enero",
  "febrero",
  "marzo",
  "abril",
  "mayo",
  "junio",
  "julio",
  "agosto",
  "septiembre",
  "octubre",
  "noviembre",
  "diciembre",
];

/** Day and month stay on one line, and so does the year. */
function date(day: string): string {
  const parts = partsOfDay(day);
  return `${parts.day}\u00a0de\u00a0${MONTHS[parts.month] ?? ""} de\u00a0${parts.year}`;
}

/** Spanish of Chile, as far as the page itself carries it. */
export const esClFirst: FirstWords = {
  locale: "es-CL",
  date,
  moment: (moment) => {
    const { day, time } = partsOfMoment(moment);
    return `${date(day)}, ${time}`;
  },
  percentage: (percentage) => formatPercentage(percentage, ","),
  page: {
    title: (screen) => `${screen} · Atiéndete ahora, paga después`,
    secure: "Pago seguro",
    loading: "Cargando…",
    progress: (index, count) => `Paso ${index} de ${count}`,
    back: "Volver",
    retry: "Reintentar",
    close: "Cerrar",
    optional: "opcional",
    errorSummary: (count) => (count === 1 ? "Hay un dato por revisar" : `Hay ${count} datos por revisar`),
    working: "Un momento…",
  },

  help: {
    question: "Ayuda",
    text: (provider) => `Habla con una persona de ${provider}:`,
    email: "Correo",
    phone: "Teléfono",
  },

  steps: {
    summary: "Resumen",
    patient: "Tus datos",
    identity: "Tu identidad",
    card: "Tu tarjeta",
    review: "Revisa y paga",
  },

  summary: {
    title: "Atiéndete ahora, paga después",
    service: (provider) => `Tu atención en ${provider}`,
    items: "Ver el detalle de la atención",
    price: "Valor de la atención",
    today: "Hoy pagas",
    todayNote: `${FIRST_PERCENTAGE}% con tu tarjeta`,
    later: "Después pagas",
    laterNote: (day) => `A más tardar el ${day}`,
    deferredPart: `El ${DEFERRED_PERCENTAGE}% restante`,
    commission: (percentage, regime) =>
      `Comisión (${percentage}, ${regime === "interest" ? "interés del crédito" : "IVA incluido"})`,
    total: "Costo total",
    whenTitle: "¿Cuándo se hace el segundo cobro?",
    whenIntro: "En la misma tarjeta, una sola vez, cuando pase lo primero de esto:",
    triggerApproval: "Tu isapre aprueba el reembolso: el día en que nos lo confirme.",
    triggerBlocked: (days) => `Pasan ${days} días seguidos con el acceso a tu isapre bloqueado.`,
    triggerLatest: (day, latest) =>
      `Llega el día ${day}, el ${latest}, sin que tu isapre haya aprobado, porque lo rechazó, no respondió o no se le pudo pedir.`,
    regardless: "El segundo cobro se hace igual aunque tu isapre reembolse menos o rechace el reembolso.",
    creditTitle: "Condiciones del crédito",
    creditProvider: "Lo financia",
    annualCost: "Carga anual equivalente (CAE)",
    annualCostNote: (day) => `Calculada con el segundo cobro en la última fecha posible, el ${day}.`,
    creditTotal: "Costo total del crédito",
    termsTitle: "Pago anticipado y atrasos",
    earlyPayment:
      "Puedes pagar antes cuando quieras: la comisión es la misma si pagas antes. Escríbenos y te ayudamos.",
    latePayment: `Si tu banco rechaza el segundo cobro, lo intentamos hasta ${CHARGE_TRIES_MAX} veces en ${CHARGE_TRIES_WINDOW_DAYS} días y te avisamos cada vez para que puedas cambiar la tarjeta. El monto no sube por el atraso. Si no resulta, sigues debiéndolo y te decimos cómo pagarlo.`,
    withdrawal:
      "Antes de pagar puedes salir sin costo. Después de pagar no hay derecho a retracto: las devoluciones se piden a la clínica.",
    action: "Continuar",
  },

  code: {
    label: `Código de ${CODE_DIGITS} dígitos`,
    missing: "Ingresa el código.",
    malformed: `El código tiene ${CODE_DIGITS} dígitos.`,
    action: "Confirmar",
    resend: "Enviar otro código",
    resendIn: (seconds) => `Podrás pedir otro código en ${seconds} s`,
  },

  recognition: {
    title: "¿Ya has pagado así?",
    text: "Entonces te enviamos un código. Escríbelo y no tendrás que repetir tus datos.",
    request: "Toca el campo y te lo enviamos al celular o correo que registraste.",
    requested: "Si ya has pagado así, te llega al celular o correo que registraste.",
    earlier: "Ya pediste un código hace un momento: usa el último que te llegó.",
    requestedAgain: "Pediste otro código: si ya has pagado así, te llega por correo.",
    autoHint: `Sirve por ${CODE_LIFETIME_MINUTES} minutos. Se confirma con el último dígito.`,
    hint: `Sirve por ${CODE_LIFETIME_MINUTES} minutos.`,
    send: "Enviarme un código",
    note: "No le des el código a nadie, tampoco a la clínica.",
    skipQuestion: "¿No te llegó, o es tu primera vez?",
    skip: "Seguir sin código",
  },

  agreement: {
    title: "Documentos de este pago",
    kinds: { contract: "Contrato", summary_sheet: "Hoja de resumen", privacy_notice: "Aviso de privacidad" },
  },

  consents: {
    title: "Tu autorización",
    optional: "Opcional",
    purposes: {
      terms_and_credit: "Términos y crédito",
      later_charge: "Segundo cobro",
      claim_mandate: "Mandato para pedir tu reembolso",
      health_data: "Datos de salud",
      insurer_access: "Acceso a tu isapre",
      saved_card: "Guardar tarjeta",
      marketing: "Novedades",
    },
  },

  expiry: {
    warning: (minutes) => (minutes <= 1 ? "Tu sesión vence en 1 minuto." : `Tu sesión vence en ${minutes} minutos.`),
    renew: "Necesito más tiempo",
    failed: "No pudimos renovarla.",
    finish: "Termina antes o vuelve a abrir el pago desde la clínica.",
    reopen: "Vuelve a abrir el pago desde la clínica.",
  },

  unloaded: {
    title: "No pudimos conectarnos",
    text: "Revisa tu conexión y vuelve a intentarlo.",
  },
  fault: {
    title: "Algo falló de nuestro lado",
    text: "Vuelve a cargar la página y sigue desde donde estabas. Si ya habías pagado, no se cobrará dos veces.",
  },
  consentMissing: "Marca esta casilla para continuar.",
};
