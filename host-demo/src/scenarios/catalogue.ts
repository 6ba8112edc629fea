import { FIRST_PERCENTAGE, LATEST_COLLECTION_DAY } from "bff/contract/terms";
import { CARDS, MAGIC_RUTS, type ScenarioCard, SERIALS } from "./magic-values.ts";
import type { Act, Scenario, Sight, Step } from "./scenario.ts";

const INSURER = "Colmena";
const PORTAL_PASSWORD = "clave-de-prueba";
const APPROVED_AFTER_5_DAYS = "Aprueba el reembolso a los 5 días";
const NOT_REACHED = "No se llega a pedir el reembolso";

const ACCEPT: Act = { do: "accept_summary" };
const REGISTER: Act = { do: "register", insurer: INSURER, portalPassword: PORTAL_PASSWORD };
const PAY: Act = { do: "pay" };
const DONE: Sight = { see: "screen", heading: "¡Listo! Tu pago está hecho" };
const PAID: Sight = { see: "order", status: "paid" };
const STILL_PENDING: Sight = { see: "order", status: "pending" };
const FILED: Sight = { see: "claim", status: "filed" };

const identify = (serial: string = SERIALS.matches.serial): Act => ({ do: "prove_identity", serial });
const addCard = (card: ScenarioCard): Act => ({ do: "add_card", card });
const changeCard = (card: ScenarioCard): Act => ({ do: "change_card", card });
/**
 * Insurers are asked each hour of the day, and charges are made from 09:00 in Chile: an answer is known, and a charge that
 * falls due at night is made, by the next day.
 */
const pass = (days: number): Act => ({ do: "pass_days", days });
const alert = (words: string): Sight => ({ see: "alert", words });
const screen = (heading: string): Sight => ({ see: "screen", heading });
const claim = (status: Extract<Sight, { see: "claim" }>["status"]): Sight => ({ see: "claim", status });
const collected = (reason: string): Sight => ({ see: "collection", status: "collected", reason });
const notice = (subject: string): Sight => ({ see: "notice", subject });

/** The steps from the first screen to the button that charges. */
const upToPay = (card: ScenarioCard): Step[] => [ACCEPT, REGISTER, identify(), addCard(card), PAY];
/** The steps of a whole purchase, and its result. */
const paidWith = (card: ScenarioCard): Step[] => [...upToPay(card), DONE, PAID];

/** The defaults of the scenarios; each scenario overrides those that differ. */
const USUAL = {
  patient: "new",
  serviceId: "traumatologia",
  documentSerial: SERIALS.matches.serial,
  card: CARDS.approved,
  insurerOutcome: APPROVED_AFTER_5_DAYS,
} as const;

/**
 * Every scenario: the demo lists them, a link opens the demo with one of them prefilled, and the browser tests run their
 * steps.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    ...USUAL,
    id: "pago-aprobado",
    group: "pago",
    title: "Paciente nuevo paga, la isapre aprueba y se cobra el resto",
    steps: [...paidWith(CARDS.approved), FILED, pass(6), claim("approved"), collected("approved")],
  },
  {
    ...USUAL,
    id: "banco-confirma",
    group: "pago",
    title: "El banco pide confirmar la compra y el paciente confirma",
    card: CARDS.challenge,
    steps: [...upToPay(CARDS.challenge), { do: "answer_bank", button: "Confirmar la compra" }, DONE, PAID],
  },
  {
    ...USUAL,
    id: "banco-rechaza",
    group: "pago",
    title: "El banco no confirma al paciente; con otra tarjeta se paga",
    card: CARDS.challengeFailed,
    steps: [
      ...upToPay(CARDS.challengeFailed),
      { do: "answer_bank", button: "Confirmar la compra" },
      alert("Tu banco no pudo confirmar que eres tú"),
      STILL_PENDING,
      changeCard(CARDS.approved),
      PAY,
      DONE,
      PAID,
    ],
  },
  {
    ...USUAL,
    id: "respuesta-perdida",
    group: "pago",
    title: "La respuesta del cobro se pierde: se averigua y no se cobra dos veces",
    card: CARDS.answerLost,
    steps: paidWith(CARDS.answerLost),
  },
  {
    ...USUAL,
    id: "cobro-perdido",
    group: "pago",
    title: "El cobro se pierde en el camino: se averigua, y se paga una sola vez",
    card: CARDS.callLost,
    steps: paidWith(CARDS.callLost),
  },
  {
    ...USUAL,
    id: "tarjeta-debito",
    group: "pago",
    title: "Se paga con tarjeta de débito, y en ella misma se cobra el resto",
    card: CARDS.debit,
    steps: [...paidWith(CARDS.debit), FILED, pass(6), claim("approved"), collected("approved")],
  },
  {
    ...USUAL,
    id: "tarjeta-prepago",
    group: "pago",
    title: "Se paga con tarjeta de prepago",
    card: CARDS.prepaid,
    steps: paidWith(CARDS.prepaid),
  },
  {
    ...USUAL,
    id: "tarjeta-amex",
    group: "pago",
    title: "American Express: 15 dígitos y código de cuatro",
    card: CARDS.amex,
    steps: paidWith(CARDS.amex),
  },
  {
    ...USUAL,
    id: "numero-dudoso",
    group: "pago",
    title: "Un número que parece mal escrito y es correcto",
    card: CARDS.luhnWrong,
    steps: paidWith(CARDS.luhnWrong),
  },
  {
    ...USUAL,
    id: "tarjeta-rechazada",
    group: "tarjeta",
    title: "La tarjeta es rechazada; con otra se paga",
    card: CARDS.declined,
    steps: [
      ...upToPay(CARDS.declined),
      alert("Tu banco no aprobó la tarjeta"),
      STILL_PENDING,
      changeCard(CARDS.approved),
      PAY,
      DONE,
      PAID,
    ],
  },
  {
    ...USUAL,
    id: "sin-fondos",
    group: "tarjeta",
    title: "La tarjeta no tiene fondos",
    card: CARDS.noFunds,
    insurerOutcome: NOT_REACHED,
    steps: [...upToPay(CARDS.noFunds), alert("Tu tarjeta no tiene cupo suficiente"), STILL_PENDING],
  },
  {
    ...USUAL,
    id: "tarjeta-robada",
    group: "tarjeta",
    title: "La tarjeta está denunciada como robada",
    card: CARDS.stolen,
    insurerOutcome: NOT_REACHED,
    steps: [...upToPay(CARDS.stolen), alert("Tu banco no permite usar esta tarjeta"), STILL_PENDING],
  },
  {
    ...USUAL,
    id: "tarjeta-bloqueada",
    group: "tarjeta",
    title: "La tarjeta está bloqueada",
    card: CARDS.blocked,
    insurerOutcome: NOT_REACHED,
    steps: [...upToPay(CARDS.blocked), alert("Tu tarjeta está bloqueada"), STILL_PENDING],
  },
  {
    ...USUAL,
    id: "tarjeta-vencida",
    group: "tarjeta",
    title: "La tarjeta está vencida",
    card: CARDS.expired,
    insurerOutcome: NOT_REACHED,
    steps: [
      ACCEPT,
      REGISTER,
      identify(),
      addCard(CARDS.expired),
      alert("Tu tarjeta está vencida"),
      addCard(CARDS.approved),
      screen("Revisa y paga"),
    ],
  },
  {
    ...USUAL,
    id: "codigo-incorrecto",
    group: "tarjeta",
    title: "El código de seguridad no es el de la tarjeta",
    card: CARDS.securityCodeWrong,
    insurerOutcome: NOT_REACHED,
    steps: [
      ACCEPT,
      REGISTER,
      identify(),
      addCard(CARDS.securityCodeWrong),
      alert("El código de seguridad no es correcto"),
    ],
  },
  {
    ...USUAL,
    id: "documento-rechazado",
    group: "identidad",
    title: "El número de documento no es del paciente; con el correcto sigue",
    documentSerial: SERIALS.rejected.serial,
    insurerOutcome: NOT_REACHED,
    steps: [
      ACCEPT,
      REGISTER,
      identify(SERIALS.rejected.serial),
      alert("El número no corresponde a tu RUT"),
      identify(),
      screen("Tu tarjeta"),
    ],
  },
  {
    ...USUAL,
    id: "documento-no-vigente",
    group: "identidad",
    title: "La cédula está vencida o bloqueada",
    documentSerial: SERIALS.notValid.serial,
    insurerOutcome: NOT_REACHED,
    steps: [ACCEPT, REGISTER, identify(SERIALS.notValid.serial), alert("Tu cédula no está vigente")],
  },
  {
    ...USUAL,
    id: "registro-caido",
    group: "identidad",
    title: "El Registro Civil no responde",
    documentSerial: SERIALS.registryDown.serial,
    insurerOutcome: NOT_REACHED,
    steps: [ACCEPT, REGISTER, identify(SERIALS.registryDown.serial), alert("El Registro Civil no responde")],
  },
  {
    ...USUAL,
    id: "paciente-registrado",
    group: "identidad",
    title: "El RUT ya está registrado con otro correo: se le ofrece recuperar su registro antes de pagar",
    patient: { rut: MAGIC_RUTS.registeredElsewhere.rut },
    insurerOutcome: NOT_REACHED,
    steps: [ACCEPT, REGISTER, screen("Tu RUT ya está registrado")],
  },
  {
    ...USUAL,
    id: "credito-rechazado",
    group: "credito",
    title: "El crédito es rechazado, con sus razones por escrito",
    patient: { rut: MAGIC_RUTS.creditRefused.rut },
    insurerOutcome: NOT_REACHED,
    steps: [...upToPay(CARDS.approved), screen("El crédito no fue aprobado"), STILL_PENDING],
  },
  {
    ...USUAL,
    id: "credito-en-revision",
    group: "credito",
    title: "El crédito se revisa 20 segundos y se aprueba",
    patient: { rut: MAGIC_RUTS.creditReviewedThenGranted.rut },
    steps: paidWith(CARDS.approved),
  },
  {
    ...USUAL,
    id: "credito-revisado-y-rechazado",
    group: "credito",
    title: "El crédito se revisa 20 segundos y se rechaza",
    patient: { rut: MAGIC_RUTS.creditReviewedThenRefused.rut },
    insurerOutcome: NOT_REACHED,
    steps: [...upToPay(CARDS.approved), screen("El crédito no fue aprobado"), STILL_PENDING],
  },
  {
    ...USUAL,
    id: "credito-sin-confirmar",
    group: "credito",
    title: `El crédito no se confirma después del cobro: el ${FIRST_PERCENTAGE} % vuelve a la tarjeta`,
    patient: { rut: MAGIC_RUTS.creditNotConfirmed.rut },
    insurerOutcome: NOT_REACHED,
    steps: [...upToPay(CARDS.approved), screen("El crédito no fue aprobado"), STILL_PENDING],
  },
  {
    ...USUAL,
    id: "aprobado-el-mismo-dia",
    group: "reembolso",
    title: "La isapre aprueba el mismo día y el resto se cobra de inmediato",
    patient: { rut: MAGIC_RUTS.approvedSameDay.rut },
    insurerOutcome: "Aprueba el reembolso el mismo día",
    steps: [...paidWith(CARDS.approved), pass(1), claim("approved"), pass(1), collected("approved")],
  },
  {
    ...USUAL,
    id: "aprobado-el-dia-12",
    group: "reembolso",
    title: "La isapre aprueba el día 12 y ese día se cobra el resto",
    patient: { rut: MAGIC_RUTS.approvedOnDay12.rut },
    insurerOutcome: "Aprueba el reembolso el día 12",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      pass(11),
      FILED,
      { see: "collection", status: "scheduled" },
      pass(2),
      claim("approved"),
      collected("approved"),
    ],
  },
  {
    ...USUAL,
    id: "rechazado-por-la-isapre",
    group: "reembolso",
    title: `La isapre rechaza el reembolso: el resto se cobra el día ${LATEST_COLLECTION_DAY}`,
    patient: { rut: MAGIC_RUTS.claimRejected.rut },
    insurerOutcome: "Rechaza el reembolso a los 5 días",
    steps: [...paidWith(CARDS.approved), FILED, pass(6), claim("rejected"), pass(40), collected("day_45")],
  },
  {
    ...USUAL,
    id: "falta-un-documento",
    group: "reembolso",
    title: "La isapre espera un documento más",
    patient: { rut: MAGIC_RUTS.claimHeld.rut },
    serviceId: "ecografia",
    insurerOutcome: "Detiene el reembolso hasta recibir la orden médica",
    steps: [...paidWith(CARDS.approved), claim("held")],
  },
  {
    ...USUAL,
    id: "portal-caido",
    group: "reembolso",
    title: "El portal de la isapre no responde dos días y después aprueba",
    patient: { rut: MAGIC_RUTS.portalDown.rut },
    insurerOutcome: "Su portal no responde por dos días; después aprueba",
    steps: [...paidWith(CARDS.approved), pass(3), FILED, pass(6), claim("approved"), pass(1), collected("approved")],
  },
  {
    ...USUAL,
    id: "acceso-no-aceptado",
    group: "reembolso",
    title: `La isapre no acepta la clave: sin acceso no hay reembolso, y el resto se cobra el día ${LATEST_COLLECTION_DAY}`,
    patient: { rut: MAGIC_RUTS.accessNotAccepted.rut },
    insurerOutcome: "No acepta la clave del portal",
    steps: [...paidWith(CARDS.approved), pass(46), collected("day_45")],
  },
  {
    ...USUAL,
    id: "acceso-bloqueado-el-dia-2",
    group: "cobro",
    title: "Se pierde el acceso a la isapre el día 2: aviso, y a los tres días se cobra",
    patient: { rut: MAGIC_RUTS.blockedOnDay2.rut },
    insurerOutcome: "Bloquea el acceso el día 2",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      pass(3),
      claim("access_blocked"),
      notice("isapre"),
      { see: "collection", status: "scheduled" },
      pass(4),
      collected("access_blocked"),
    ],
  },
  {
    ...USUAL,
    id: "acceso-recuperado",
    group: "cobro",
    title: "Se pierde el acceso a la isapre y el paciente lo da de nuevo: no se cobra antes",
    patient: { rut: MAGIC_RUTS.blockedOnDay2.rut },
    insurerOutcome: "Bloquea el acceso el día 2; con otra clave sigue, y aprueba a los 5 días",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      pass(3),
      claim("access_blocked"),
      notice("isapre"),
      { do: "give_access_by_mail", portalPassword: "otra-clave-de-prueba" },
      pass(4),
      FILED,
      { see: "collection", status: "scheduled" },
      pass(3),
      claim("approved"),
      pass(1),
      collected("approved"),
    ],
  },
  {
    ...USUAL,
    id: "acceso-bloqueado-de-inmediato",
    group: "cobro",
    title: "La isapre bloquea el acceso desde el principio: a los tres días se cobra",
    patient: { rut: MAGIC_RUTS.blockedAtOnce.rut },
    insurerOutcome: "Bloquea el acceso de inmediato",
    steps: [...paidWith(CARDS.approved), claim("access_blocked"), pass(4), collected("access_blocked")],
  },
  {
    ...USUAL,
    id: "isapre-no-responde",
    group: "cobro",
    title: `La isapre nunca responde: el resto se cobra el día ${LATEST_COLLECTION_DAY}`,
    patient: { rut: MAGIC_RUTS.neverAnswered.rut },
    insurerOutcome: "No responde nunca",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      pass(43),
      notice("cobro"),
      { see: "collection", status: "scheduled" },
      pass(3),
      collected("day_45"),
    ],
  },
  {
    ...USUAL,
    id: "segundo-cobro-rechazado-dos-veces",
    group: "cobro",
    title: "El segundo cobro es rechazado dos veces y a la tercera resulta",
    card: CARDS.laterDeclinedTwice,
    steps: [...paidWith(CARDS.laterDeclinedTwice), FILED, pass(6), claim("approved"), pass(10), collected("approved")],
  },
  {
    ...USUAL,
    id: "segundo-cobro-siempre-rechazado",
    group: "cobro",
    title: "El segundo cobro es rechazado siempre: después del cuarto intento queda en manos de personas",
    card: CARDS.laterDeclined,
    steps: [...paidWith(CARDS.laterDeclined), FILED, pass(5), pass(12), { see: "collection", status: "failed" }, PAID],
  },
  {
    ...USUAL,
    id: "tarjeta-robada-despues",
    group: "cobro",
    title: "La tarjeta se denuncia como robada después del primer pago: no se insiste",
    card: CARDS.laterStolen,
    steps: [...paidWith(CARDS.laterStolen), FILED, pass(6), { see: "collection", status: "failed" }],
  },
  {
    ...USUAL,
    id: "otra-tarjeta",
    group: "cobro",
    title: "La tarjeta se denuncia como robada; el paciente da otra, y en ella se cobra el resto",
    card: CARDS.laterStolen,
    steps: [
      ...paidWith(CARDS.laterStolen),
      FILED,
      pass(6),
      { see: "collection", status: "failed" },
      notice("No pudimos"),
      { do: "change_card_by_mail", card: CARDS.approved },
      pass(1),
      collected("approved"),
    ],
  },
  {
    ...USUAL,
    id: "pago-anticipado",
    group: "cobro",
    title: `El paciente paga lo que queda antes del día ${LATEST_COLLECTION_DAY}, con el enlace del aviso`,
    patient: { rut: MAGIC_RUTS.neverAnswered.rut },
    insurerOutcome: "No responde nunca",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      pass(43),
      notice("haremos el cobro"),
      { do: "pay_rest_by_mail" },
      collected("paid_early"),
      pass(3),
      collected("paid_early"),
    ],
  },
  {
    ...USUAL,
    id: "devolucion-el-dia-10",
    group: "devolucion",
    title: "La clínica devuelve todo el día 10: nunca se cobra el resto",
    patient: { rut: MAGIC_RUTS.neverAnswered.rut },
    insurerOutcome: "No responde nunca",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      pass(10),
      { do: "refund", amountClp: null },
      { see: "order", status: "refunded" },
      { see: "collection", status: "cancelled" },
      pass(45),
      { see: "collection", status: "cancelled" },
    ],
  },
  {
    ...USUAL,
    id: "devolucion-parcial",
    group: "devolucion",
    title: "La clínica devuelve una parte: el segundo cobro baja en lo mismo",
    steps: [
      ...paidWith(CARDS.approved),
      FILED,
      { do: "refund", amountClp: 5_000 },
      { see: "order", status: "partially_refunded" },
      pass(6),
      collected("approved"),
    ],
  },
];

export function findScenario(id: string): Scenario | null {
  return SCENARIOS.find((scenario) => scenario.id === id) ?? null;
}
