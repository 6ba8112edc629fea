import { CODE_DIGITS, CODE_LIFETIME_MINUTES, FIRST_PERCENTAGE } from "bff/contract/terms";
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

/** Day and month stay on one line, as does the year. */
function date(day: string): string {
  const parts = partsOfDay(day);
  return `${parts.day}\u00a0de\u00a0${MONTHS[parts.month] ?? ""} de\u00a0${parts.year}`;
}

/** The Spanish texts that the page itself contains. */
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

  summary: {
    title: "Atiéndete ahora, paga después",
    knownTitle: "Revisa y paga",
    items: "Ver el detalle",
    price: "Valor de la atención",
    today: "Hoy",
    todayNote: `${FIRST_PERCENTAGE}% con tarjeta`,
    later: "Segundo cobro",
    laterNote: (day) => `A más tardar el ${day}`,
    commission: (percentage, regime) =>
      `Comisión (${percentage}, ${regime === "interest" ? "interés del crédito" : "IVA incluido"})`,
    total: "Pagas en total",
    included: (commission) => `Incluye ${commission} de comisión.`,
    when: (days) =>
      `El segundo cobro se hace en la misma tarjeta cuando tu isapre apruebe el reembolso, si nos bloquea el acceso ${days} días seguidos o, si no, en esa fecha.`,
    regardless: "También si tu isapre reembolsa menos o nada.",
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
    request: "Toca el campo y te lo enviamos.",
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

  leaving: {
    title: "¿Salir y borrar lo que escribiste?",
    leave: "Salir",
    stay: "Seguir aquí",
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
};
