import type { LACKING_DOCUMENTS } from "../../claims/hand-worked-claims.ts";
import type { Balance } from "../../orders/book-reads.ts";
import type { Switch } from "../../platform/switches.ts";
import type { LinkPurpose } from "../../self-service/send-link.ts";
import type { ExceptionSort } from "../exception-store.ts";
import type { ExceptionKind, Resolution } from "../exceptions/exception-kinds.ts";
import type { Severity } from "../exceptions/severity.ts";
import type { Move, Pace } from "../moving-money.ts";
import type { Role } from "../operators/role.ts";

/** The Spanish texts of the console's pages, in the words of operators in Chile. */

interface ExceptionWords {
  readonly title: string;
  /** The operator's first step, before choosing a resolution. */
  readonly advice: string;
  /** The form on another page that settles it, by that page's anchor. */
  readonly firstStep?: { readonly on: "order" | "clinic"; readonly at: "link" | "account"; readonly name: string };
}

export const EXCEPTION_WORDS: Readonly<Record<ExceptionKind, ExceptionWords>> = {
  collection_failed: {
    title: "El segundo cobro no se pudo hacer",
    advice:
      "Mira en la historia por qué. Si la tarjeta ya no sirve, mándale al paciente el enlace para cambiarla; si pagó por otra vía, anota cuánto llegó (la segunda parte con su comisión) y cómo se sabe.",
    firstStep: { on: "order", at: "link", name: "mandar el enlace para cambiar la tarjeta" },
  },
  collection_stopped: {
    title: "El cobro está detenido por un contracargo",
    advice: "Decide primero quién asume el contracargo; después deja seguir el cobro o dalo por perdido.",
  },
  collection_written_off: {
    title: "La segunda parte se dio por perdida",
    advice: "No hay nada que hacer. Si el paciente paga igual, anota cuánto llegó y cómo se sabe.",
  },
  chargeback: {
    title: "El banco del paciente devolvió un cobro",
    advice: "Junta los antecedentes y responde al banco. Anota aquí cómo terminó.",
  },
  claim_held: {
    title: "A la isapre le falta un documento",
    advice:
      "Pídelo a la clínica. Cuando lo suba, la solicitud sigue sola; presenta otra vez si lo aclaraste con la isapre.",
  },
  claim_to_file: {
    title: "Hay una solicitud por presentar a la isapre",
    advice: "Descarga los documentos, preséntala en el portal de la isapre y anota aquí el número que te da.",
  },
  claim_to_file_late: {
    title: "Una solicitud lleva más de un día sin presentar",
    advice: "Preséntala hoy: mientras no se presente, la isapre no responde y el paciente espera.",
  },
  claim_to_answer: {
    title: "La isapre todavía no responde una solicitud",
    advice: "Revisa el portal de la isapre. Cuando responda, anota aquí qué dijo.",
  },
  claim_without_access: {
    title: "No tenemos acceso a la isapre",
    advice:
      "El paciente ya recibió el enlace. Llámalo y mándalo otra vez: sale de la lista cuando da el acceso. Sin él, la segunda parte se cobra el día 45.",
    firstStep: { on: "order", at: "link", name: "mandar otra vez el enlace" },
  },
  receipt_missing: {
    title: "La clínica no ha enviado la boleta",
    advice: "Llama a la clínica: sin boleta no hay reembolso, y el segundo cobro se hace igual.",
  },
  receipt_unread: {
    title: "No pudimos leer el total de la boleta",
    advice: "Mira la boleta y compárala con el total de la orden.",
  },
  claim_of_refunded_order: {
    title: "Pedimos reembolso de una atención que se devolvió",
    advice: "Avisa a la isapre y retira la solicitud allá.",
  },
  claim_of_partly_refunded_order: {
    title: "Pedimos reembolso por más de lo que costó",
    advice: "Avisa a la isapre el monto que se devolvió.",
  },
  money_not_returned: {
    title: "No pudimos devolver dinero a la tarjeta",
    advice:
      "Acuerda con el paciente cómo devolverlo y anótalo. Si el cobro es muy antiguo, el procesador no lo devolverá: se paga por transferencia (la clínica, si la devolución la pidió ella). Si el banco del paciente ya lo está devolviendo, no pagues nada aparte.",
  },
  transfer_owed: {
    title: "Debemos una transferencia al paciente",
    advice: "Pide sus datos bancarios, transfiere y anótalo.",
  },
  tax_document_missing: {
    title: "Falta un documento tributario",
    advice: "Mira por qué lo rechazó el emisor. Pide que se emita otra vez, o emítelo a mano.",
  },
  balance_differs: {
    title: "Un saldo guardado no es la suma del libro",
    advice: "Las filas del libro mandan. Avisa a quien mantiene el servicio, y vuelve a sumar.",
  },
  notice_undelivered: {
    title: "Un correo no llegó",
    advice: "Confirma la dirección con el paciente o la clínica antes de mandarlo otra vez.",
  },
  notice_not_carried: {
    title: "El servidor de correo no admite una dirección",
    advice:
      "Ningún código ni enlace le llega a este paciente. Configura un servidor de correo que admita direcciones con tildes o eñes (SMTPUTF8); después el paciente lo pide otra vez.",
  },
  payout_refused: {
    title: "El banco rechazó un pago a la clínica",
    advice: "Pide los datos de la cuenta correcta. El próximo pago diario incluye lo que quedó pendiente.",
    firstStep: { on: "clinic", at: "account", name: "registrar la cuenta correcta" },
  },
  payout_returned: {
    title: "Un pago a la clínica volvió",
    advice:
      "El banco devolvió la transferencia y el monto volvió al saldo. La clínica recibió un correo. Si el motivo es la cuenta, pide otra; si no, el próximo pago diario lo incluye.",
    firstStep: { on: "clinic", at: "account", name: "registrar la cuenta correcta" },
  },
  payee_owes: {
    title: "La clínica nos debe",
    advice: "Se le pagó por atenciones que después se devolvieron. Pídele el saldo.",
  },
  payee_without_account: {
    title: "La clínica no tiene cuenta registrada",
    advice: "Pide los datos bancarios y regístralos.",
    firstStep: { on: "clinic", at: "account", name: "registrar la cuenta" },
  },
  payee_account_changed: {
    title: "Hay una cuenta nueva de un destinatario",
    advice:
      "Llama a un teléfono que ya tenías y confirma la cuenta. Se necesitan dos personas. Si no es suya, registra la de antes: sale de la lista con el próximo pago.",
  },
  difference: {
    title: "Los libros no cuadran con una lista externa",
    advice: "Abre la orden y compara. La conciliación diaria la quita de la lista cuando cuadra.",
  },
  list_unavailable: {
    title: "No tenemos la lista de un tercero",
    advice: "Pregunta al tercero por qué no responde. Se vuelve a pedir cada día.",
  },
  rights_request: {
    title: "Un paciente ejerce un derecho sobre sus datos",
    advice: "Haz lo que pide y después acepta, o rechaza con la razón. La nota se le envía por correo.",
  },
  rights_request_late: {
    title: "Una solicitud de derechos está por vencer",
    advice: "La ley da 30 días. Respóndela hoy.",
  },
  outcome_unknown: {
    title: "No se sabe cómo terminó una operación",
    advice:
      "El procesador de tarjetas, el financista o el banco no dijo si la hizo; la orden dice cuál. Llámalo; cuando responda otra vez, pregunta aquí y mira la orden. Nada se da por fallido sin respuesta. Si el procesador tomó una devolución, dijo hasta cuándo terminaría y ya pasó: pregúntale por ella. Si dice a qué conector preguntar, ahora hay otro que no la conoce: mira el portal del que dice.",
  },
  commission_above_maximum: {
    title: "Una comisión supera la tasa máxima convencional",
    advice:
      "Baja la comisión de la clínica, o registra su fundamento legal (`aapd provider change`). Desde el día en que rige la tasa, sus órdenes nuevas se rechazan.",
  },
};

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = { high: "alta", medium: "media", low: "baja" };

export const SORT_WORDS: Readonly<Record<ExceptionSort, string>> = {
  severity: "Por gravedad",
  oldest: "Las más antiguas primero",
  newest: "Las más nuevas primero",
  amount: "Los montos más altos primero",
};

interface ResolutionWords {
  readonly name: string;
  /** The effect of the resolution. */
  readonly means: string;
}

export const RESOLUTION_WORDS: Readonly<Record<Resolution, ResolutionWords>> = {
  retry: {
    name: "Cobrar otra vez",
    means: "Avisa al paciente y cobra al menos un día después, dentro de los intentos prometidos por tarjeta.",
  },
  release: { name: "Dejar seguir el cobro", means: "Avisa al paciente y cobra al menos un día después." },
  paid_otherwise: {
    name: "Pagó por otra vía",
    means: "Registra que el paciente pagó todo lo que debía. Di cuánto llegó y cómo se sabe.",
  },
  paid_after_write_off: {
    name: "Pagó igual",
    means: "Deshace la pérdida y registra que llegó todo lo que debía. Di cuánto llegó y cómo se sabe.",
  },
  write_off: { name: "Dar por perdido", means: "El cobro se abandona para siempre y la pérdida queda en los libros." },
  chargeback_won: { name: "Ganamos el contracargo", means: "El banco repuso el dinero: no se registra nada." },
  chargeback_lost: {
    name: "Perdimos el contracargo",
    means: "El banco se queda con el dinero: la pérdida del servicio queda en los libros.",
  },
  recover_from_clinic: {
    name: "Lo asume la clínica",
    means: "Se registra como devolución: el próximo pago a la clínica es menor.",
  },
  file_again: { name: "Presentar otra vez", means: "Presenta la solicitud a la isapre con los documentos que hay." },
  give_up_claim: { name: "Abandonar la solicitud", means: "No se presenta nada más a la isapre." },
  filed_by_hand: { name: "Ya la presenté", means: "Queda presentada con ese número y el paciente recibe aviso." },
  document_lacking: {
    name: "Falta un documento",
    means:
      "La isapre pide otro documento. La solicitud espera, y la clínica y el paciente reciben aviso de cuál falta.",
  },
  isapre_approved: {
    name: "La isapre la aprobó",
    means: "Queda aprobada por ese monto y ese día: la segunda parte se puede cobrar.",
  },
  isapre_rejected: { name: "La isapre la rechazó", means: "El paciente recibe aviso con el motivo que escribas." },
  claim_withdrawn: { name: "Se retiró en la isapre", means: "No se pregunta más por ella." },
  paid_back: { name: "Se devolvió por otra vía", means: "Registra que el paciente ya tiene su dinero. Di cómo." },
  transferred: { name: "Se transfirió", means: "Registra que el paciente ya recibió la transferencia. Di cómo." },
  issue_now: { name: "Emitir ahora", means: "Pide el documento de inmediato." },
  recount: { name: "Volver a sumar", means: "Suma otra vez las filas de la clínica y reemplaza lo guardado." },
  send_again: { name: "Mandar otra vez", means: "Lo manda a la misma dirección." },
  confirm_account: {
    name: "Confirmar la cuenta",
    means: "La cuenta es del destinatario, confirmada por teléfono. Se necesitan dos personas.",
  },
  return_charge: {
    name: "Devolver el cobro a la tarjeta",
    means: "Devuelve un cobro que no está en los libros. El paciente recibe aviso.",
  },
  cancel_loan: {
    name: "Anular el crédito",
    means: "El financista anula un crédito que no está en los libros.",
  },
  grant_request: { name: "Aceptar lo que pide", means: "Se hizo lo que pide. La nota se le envía por correo." },
  refuse_request: { name: "Rechazar lo que pide", means: "No se hace. La nota, con la razón, se le envía por correo." },
  ask_again: { name: "Preguntar ahora", means: "Pregunta al tercero qué pasó." },
  portal_done: {
    name: "El portal dice que se hizo",
    means:
      "Queda hecho, como si el tercero hubiera respondido. La nota empieza con el número del movimiento en el portal.",
  },
  portal_not_done: {
    name: "El portal dice que no se hizo",
    means: "Queda como no hecho, y no se intenta otra vez con esta llamada. Di en la nota qué muestra el portal.",
  },
  handled: { name: "Apartar: ya está visto", means: "Sale de la lista; vuelve si pasa otra vez." },
};

/** A resolution in Spanish, or its own name if there is no translation. */
export function resolutionWords(resolution: string): string {
  return resolution in RESOLUTION_WORDS ? RESOLUTION_WORDS[resolution as Resolution].name : resolution;
}

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: "solo mira",
  support: "soporte",
  finance: "finanzas",
  operator: "operación",
};

/** Titles of the acts that need two people. */
export const APPROVED_ACT_WORDS: Readonly<Record<string, string>> = {
  "exception.resolve": "Resolver una excepción",
  "operator.add": "Agregar un operador",
  "operator.change_role": "Cambiar el rol de un operador",
  "operator.reissue_token": "Renovar el token de un operador",
  "provider.set_support_email": "Cambiar el correo de ayuda de una clínica",
  "credential.rotate": "Cambiar una credencial de una clínica",
};

export const SWITCH_WORDS: Readonly<Record<Switch, { readonly name: string; readonly whileOff: string }>> = {
  charges: { name: "Cobros", whileOff: "Nadie puede pagar, y los segundos cobros esperan." },
  payouts: { name: "Pagos a clínicas", whileOff: "No se prepara ni se envía ningún pago." },
  mails: { name: "Correos y mensajes", whileOff: "Esperan, salvo los códigos de un solo uso." },
  claims: { name: "Solicitudes a isapres", whileOff: "No se presentan, renuevan ni consultan." },
};

const STATE_WORDS: Readonly<Record<string, string>> = {
  pending: "creada",
  awaiting_payment: "lista para pagar",
  paying: "pagando",
  first_captured: "primer cobro hecho",
  payment_failed: "pago rechazado",
  partially_paid: "pagada en parte",
  paid: "pagada",
  partially_refunded: "devuelta en parte",
  refunded: "devuelta",
  cancelled: "cancelada",
  sending: "en camino",
  refused: "rechazado",
  returned: "volvió",
  delivered: "entregado",
  failed: "falló",
  scheduled: "programada",
  charging: "cobrando",
  captured: "cobrada",
  collected: "cobrada",
  declined: "rechazada por el banco",
  stopped: "detenida",
  succeeded: "hecha",
  processing: "en curso",
  sent: "enviado",
  given_up: "se dejó de intentar",
  filing: "presentándose",
  filed: "presentada",
  approved: "aprobada",
  rejected: "rechazada",
  held: "espera un documento",
  access_missing: "sin acceso",
  access_blocked: "acceso bloqueado",
};

/** A state in Spanish, or its own name if there is no translation. */
export function stateWords(state: string): string {
  return STATE_WORDS[state] ?? state;
}

/** States of a payout. */
export const PAYOUT_STATE_WORDS: Readonly<Record<string, string>> = {
  sending: "en camino",
  pending: "aceptado por el banco",
  paid: "pagado",
  refused: "rechazado por el banco",
  returned: "volvió",
};

export const AMOUNT_WORDS = {
  total: "Valor de la atención",
  first_instalment: "Primera parte",
  deferred: "Segunda parte",
  refunded: "Devuelto",
  deferred_collected: "Segunda parte cobrada",
  deferred_cancelled: "Segunda parte anulada",
} as const;

export const CARD_WORDS: Readonly<Record<string, string>> = {
  credit: "crédito",
  debit: "débito",
  prepaid: "prepago",
};

export const LINK_WORDS: Readonly<Record<LinkPurpose, string>> = {
  my_data: "para ver sus datos",
  insurer_access: "para dar acceso a su isapre",
  pay_early: "para pagar el resto ahora",
  card_change: "para cambiar la tarjeta",
};

export const STEP_STATE_WORDS = { to_come: "por venir", running: "en curso", late: "atrasado" } as const;

/** The meaning of timeline entries; a test finds those without words. */
export const TIMELINE_WORDS: Readonly<Record<string, string>> = {
  "order.created": "La clínica creó la orden.",
  "identity.asked": "Se consultó al registro civil por el documento.",
  "identity.validated": "El registro confirmó la identidad.",
  "payment.begun": "El paciente empezó a pagar.",
  "payment.return_taken": "El procesador tomó la devolución del cobro; dirá después cómo terminó.",
  "payment.ended": "El intento de pago terminó.",
  "card.charged": "Se cobró la tarjeta; con esto se encuentra el cobro en el portal del procesador.",
  "refund.asked": "Se aceptó una devolución.",
  "refund.return_taken": "El procesador tomó una devolución a la tarjeta; dirá después cómo terminó.",
  "refund.moved": "Se respondió una parte de la devolución.",
  "refund.transferred": "Un operador hizo la transferencia de la devolución.",
  "refund.ended": "La devolución terminó.",
  "card_removal.asked": "Ya no se puede cobrar a una tarjeta: se pide al procesador que la elimine.",
  "card_removal.ended": "El procesador eliminó la tarjeta.",
  "saved_card.asked": "El paciente pidió guardar la tarjeta.",
  "saved_card.saved": "El procesador guarda la tarjeta.",
  "saved_card.used": "El paciente eligió una tarjeta guardada.",
  "waits.patient": "El paciente no ha pagado.",
  "waits.card_removal": "El procesador no ha dicho que eliminó una tarjeta.",
  "waits.card_page": "La página del procesador de tarjetas no ha terminado.",
  "waits.payment": "Un paso del pago no tiene respuesta.",
  "waits.refund": "Una devolución no tiene respuesta.",
  "waits.transfer": "Se debe una transferencia; la hace un operador.",
  "waits.tax_document": "Falta emitir un documento tributario.",
  "ledger.booked": "Se movió dinero.",
  "tax_document.issued": "Se emitió un documento tributario de la comisión.",
  "order.expire": "Cancela la orden si no se paga.",
  "payment.settle": "Pregunta qué pasó con el pago.",
  "refund.settle": "Hace la devolución, o pregunta qué pasó con ella.",
  "tax_document.issue": "Pide que se emita un documento tributario.",
  "order.remove_card": "Pide al procesador eliminar una tarjeta que ya no se necesita.",
  "saved_card.settle": "Pide al procesador guardar u olvidar la tarjeta.",
  "token.minted": "Se creó un enlace o un checkout para el paciente.",
  "token.shown": "El paciente vio la página.",
  "token.used": "La página cumplió su propósito.",
  "token.revoked": "La clínica anuló el enlace.",
  "recognition.asked": "El paciente pidió un código para ser reconocido.",
  "recognition.verified": "El código era correcto.",
  "recognition.send": "Envía el código de reconocimiento.",
  "consent.accepted": "El paciente aceptó un texto.",
  "consent.withdrawn": "El paciente retiró lo que había aceptado.",
  "expense.received": "La clínica envió la boleta.",
  "receipt.missed": "La clínica no envió la boleta a tiempo.",
  "claim.made": "Se preparó la solicitud de reembolso.",
  "claim.filed": "La solicitud se presentó a la isapre.",
  "claim.access_blocked": "La isapre rechazó el acceso del paciente.",
  "claim.access_renewed": "La isapre recibió el acceso nuevo.",
  "claim.ended": "La solicitud terminó.",
  "waits.receipt": "La clínica no ha enviado la boleta.",
  "waits.claim": "La solicitud no ha terminado.",
  "reimbursements.file_claim": "Presenta la solicitud.",
  "reimbursements.poll_claim": "Pregunta a la isapre por la solicitud.",
  "claims.remind_unfiled": "Cuenta al paciente qué impide presentar la solicitud, si no está presentada.",
  "waits.event": "Un evento espera ser repartido dentro del servicio.",
  "collection.triggered": "La segunda parte quedó exigible.",
  "authentication.asked": "Se pidió al emisor de la tarjeta confirmar al paciente.",
  "authentication.ended": "La confirmación del emisor terminó.",
  "card_page.opened": "Se abrió la página del procesador de tarjetas.",
  "card_page.ended": "La página del procesador de tarjetas terminó.",
  "charge.begun": "Empezó un cobro de la segunda parte.",
  "charge.ended": "El cobro de la segunda parte terminó.",
  "mandate.revoked": "El paciente revocó el mandato para cobrar la tarjeta.",
  "chargeback.noted": "El banco del paciente devolvió un cobro.",
  "chargeback.won": "Un operador anotó que el banco repuso el dinero.",
  "chargeback.lost": "Un operador anotó que el banco se queda con el dinero.",
  "chargeback.released": "Un operador dejó seguir el cobro.",
  "loan.reported": "Se informó al financista cómo terminó el crédito.",
  "waits.due": "La segunda parte no es exigible todavía; a más tardar se cobra el día 45.",
  "waits.charge_day": "La segunda parte es exigible y espera el día de su cobro.",
  "waits.authentication": "El paciente no ha respondido al emisor, o no se sabe qué respondió.",
  "waits.charge": "Un cobro no tiene respuesta.",
  "waits.operator": "El cobro terminó o se detuvo; lo que queda es de un operador.",
  "waits.loan_report": "El financista no ha confirmado cómo terminó el crédito.",
  "collection.announce": "Avisa el cobro del día 45, si entonces todavía corresponde.",
  "collection.deadline": "Hace exigible la segunda parte el día 45, si nada lo hizo antes.",
  "collection.charge": "Cobra la segunda parte, o pregunta qué pasó con un cobro.",
  "collection.card_page": "Pregunta cómo terminó la página en que se cambia la tarjeta.",
  "order.card_page": "Pregunta cómo terminó la página en que se da la tarjeta.",
  "collection.authenticate": "Pregunta qué pasó con la confirmación del emisor.",
  "collection.settle_early": "Pregunta qué pasó con un pago anticipado.",
  "collection.report_loan": "Informa al financista cómo terminó el crédito.",
  "payout.included": "La orden entró en un pago a la clínica.",
  "payout.taken": "El banco aceptó el pago y lo hará después.",
  "payout.ended": "El banco respondió el pago.",
  "payout.returned": "El banco devolvió el pago.",
  "remittance.included": "Lo cobrado entró en una transferencia al financista.",
  "remittance.taken": "El banco aceptó la transferencia y la hará después.",
  "remittance.ended": "El banco respondió la transferencia.",
  "remittance.returned": "El banco devolvió la transferencia.",
  "waits.remittance": "Hay algo cobrado para el financista; va en la próxima transferencia.",
  "waits.payout": "Cambió lo que se debe a la clínica; va en el próximo pago.",
  "waits.bank": "El banco no ha respondido un pago.",
  "payouts.run": "Paga a la clínica y al financista lo que se les debe.",
  "payouts.send": "Envía un pago, o pregunta al banco qué pasó con él.",
  "difference.seen": "Los libros y una lista externa no cuadraron.",
  "difference.gone": "Los libros y la lista externa cuadran otra vez.",
  "charge_return.requested": "Un cobro que no está en los libros se devuelve a la tarjeta.",
  "charge_return.taken": "El procesador tomó esa devolución; dirá después cómo terminó.",
  "charge_return.ended": "El procesador devolvió ese cobro, o no quiso.",
  "charge.return": "Pide al procesador devolver ese cobro.",
  "loan_cancellation.requested": "Se pidió anular un crédito que no está en los libros.",
  "loan_cancellation.ended": "El financista anuló ese crédito, o ya no lo tiene como estaba.",
  "loan.cancel": "Pide al financista anular ese crédito.",
  "waits.difference": "Los libros y una lista externa no cuadran.",
  "exception.handled": "Un operador apartó una excepción.",
  event: "Se publicó un evento.",
  act: "Una persona o credencial hizo algo que se audita.",
  "webhook.queued": "Un evento quedó en cola para la clínica.",
  "webhook.attempted": "El evento se envió a la clínica.",
  "waits.webhook": "La clínica no ha aceptado un evento.",
  "webhooks.retry": "Envía otra vez un evento a la clínica.",
  "notification.written": "Se escribió un correo o mensaje al paciente.",
  "notification.ended": "El correo o mensaje se envió, o no se pudo.",
  "waits.notification": "Un correo o mensaje espera ser enviado.",
  "notices.send": "Envía un correo o mensaje al paciente.",
};

/** The documents that an isapre may ask for. */
export const LACKING_WORDS: Readonly<Record<(typeof LACKING_DOCUMENTS)[number], string>> = {
  medical_order: "Orden médica",
  prescription: "Receta",
  readable_photo: "Una foto que se pueda leer",
  other_document: "Otro",
};

/** The facts of an exception, by the stores' names. */
export const FACT_NAMES: Readonly<Record<string, string>> = {
  act: "acto",
  allocated: "repartida",
  amount_lent: "prestado",
  amount_taken: "cobrado",
  asked: "preguntado",
  at_insurer: "en la isapre",
  attempts: "intentos",
  authorisation_code: "código de autorización",
  booked: "en los libros",
  buy_order: "orden de compra",
  by: "por",
  cancellation: "anulación",
  channel: "por",
  charge: "cobro",
  claim_state: "solicitud",
  commission: "comisión",
  connector: "pregunta al conector",
  credit: "haber",
  day: "día",
  debit: "debe",
  document: "documento",
  due_at: "se cobra el",
  end: "fin",
  endpoint: "webhook",
  ends_by: "termina antes del",
  failure: "por qué",
  fee: "comisión retenida",
  first_instalment: "primera parte",
  for: "para",
  given_back: "devuelto",
  inquiries: "preguntas",
  instalments: "cuotas",
  kept: "guardado",
  net: "neto",
  network_transaction: "transacción en la red",
  notice: "aviso",
  number: "número",
  outcome: "resultado",
  owed: "se debe",
  paused: "en pausa",
  purpose: "para",
  refunded: "devuelto",
  refusal: "rechazo",
  reimbursed: "reembolsado",
  return: "devolución",
  sequence: "número",
  since: "desde",
  state: "estado",
  status: "estado",
  step: "paso",
  store_code: "código de comercio",
  unread_fields: "no se pudo leer",
  vat: "IVA",
  of: "de",
  insurer_claim_id: "número en la isapre",
  why: "por qué",
  reason: "por qué",
  kind: "qué",
  party: "lista de",
  trigger: "exigible por",
  amount: "monto",
  expected: "en los libros",
  found: "en la lista",
  refused_because: "no se devuelve porque",
  return_refused_because: "no se devuelve porque",
  taken_at: "lo tomó el",
  declined_because: "rechazado por",
  beyond_limit_of: "supera el límite de la tarjeta en",
  card_authenticated_at: "su banco autenticó al titular el",
  payee: "destinatario",
  payee_id: "su id",
  yearly_rate: "tasa anual (%)",
  maximum_rate: "tasa máxima (%)",
  from_day: "rige desde",
  resolution: "cómo",
  role: "rol",
  email: "correo",
  support_email: "correo",
  overlap_hours: "horas en que sirven las dos",
};

export const MOVE_WORDS: Readonly<Record<Move, string>> = {
  captured: "Pagos de pacientes",
  collected: "Segundas partes cobradas",
  paid_out: "Pagos a clínicas y al financista",
  claims: "Solicitudes presentadas a isapres",
  returned: "Devoluciones a tarjetas",
};

export const PACE_WORDS: Readonly<Record<Pace, string>> = {
  usual: "como siempre",
  low: "menos que lo habitual",
  quiet: "muy pocos para comparar",
};

/** The outside parties, by their names in metrics. */
export const PARTY_WORDS: Readonly<Record<string, string>> = {
  "card-processor": "Procesador de tarjetas",
  "financing-provider": "Financista",
  "identity-registry": "Registro civil",
  insurer: "Isapres",
  bank: "Banco",
  "tax-documents": "Emisor de documentos tributarios",
  mails: "Servidor de correo",
  messages: "Servicio de mensajes",
};

/** The accounts of the ledger (bff/docs/reference/ledger.md), for accountants. */
export const ACCOUNT_WORDS: Readonly<Record<string, string>> = {
  order: "Por pagar a las clínicas",
  card_processor: "Por cobrar al procesador de tarjetas",
  financing_provider: "Préstamos del financista por cobrar",
  commission: "Ingresos por comisión de pacientes",
  vat: "IVA débito de esa comisión",
  bank: "Banco: pagado a clínicas y financista",
  chargeback_loss: "Pérdida por contracargos",
  paid_otherwise: "Banco: pagado por pacientes por otra vía",
  paid_by_hand: "Banco: devuelto a pacientes a mano",
  transfers_owed: "Por transferir a pacientes",
  written_off: "Pérdida por incobrables",
  payout_fee: "Ingresos por comisión de clínicas",
  payout_fee_vat: "IVA débito de esa comisión",
  card_settled: "Liquidado por el procesador",
  deposits: "Banco: depósitos del procesador",
  card_fee: "Gasto por comisión del procesador",
  card_fee_vat: "IVA crédito de esa comisión",
  remitted: "Pagado al financista de lo cobrado",
  stamp_tax: "Gasto por impuesto de timbres incluido en la comisión",
  stamp_tax_owed: "Impuesto de timbres por pagar al financista",
} satisfies Record<Balance["account"], string>;

/** Movements of a clinic's account. */
export const MOVEMENT_WORDS = {
  sale: "Venta",
  sale_returned: "Venta sin efecto",
  refund: "Devolución",
  fee: "Comisión, neta",
  fee_vat: "IVA de la comisión",
  payout: "Pago a la clínica",
  payout_returned: "Pago que volvió",
} as const;

/** What a comparison with the outside parties' lists read. */
export const COMPARED_WORDS: Readonly<Record<string, string>> = {
  orders: "Órdenes",
  card_movements: "Movimientos de tarjetas",
  loans: "Créditos",
  bank_transfers: "Transferencias del banco",
  ledger_transfers: "Filas del libro",
};

/** Values of facts that operators need for a decision. */
export const FACT_VALUES: Readonly<Record<string, string>> = {
  payment: "el pago del paciente: procesador de tarjetas o financista",
  collection: "el segundo cobro: procesador de tarjetas",
  refund: "una devolución: procesador de tarjetas o financista",
  payout: "un pago a la clínica o al financista: banco",
  charge_return: "la devolución de un cobro: procesador de tarjetas",
  loan_cancellation: "la anulación de un crédito: financista",
  loan_report: "el aviso del fin de un crédito: financista",
  saved_card: "una tarjeta guardada: procesador de tarjetas",
  too_old: "el cobro es muy antiguo para devolverlo a la tarjeta: se paga por transferencia",
  disputed: "el banco del paciente está devolviendo el cobro: no se paga aparte",
  card_removal: "una tarjeta por eliminar: procesador de tarjetas",
  day_45: "llegó el día 45",
  paid_early: "el paciente pagó antes",
  approved: "la isapre aprobó",
  access_blocked: "el acceso a la isapre siguió bloqueado",
  hard_decline: "la tarjeta ya no sirve",
  mandate_revoked: "el paciente revocó el mandato",
  tries_exhausted: "se acabaron los intentos",
  access_missing: "el paciente no ha dado el acceso",
  account_closed: "la cuenta está cerrada",
  account_unknown: "la cuenta no existe",
  holder_differs: "la cuenta es de otra persona",
  bank_unknown: "no se conoce el banco de la cuenta",
  account_not_enabled: "la cuenta no recibe transferencias",
  bank_unavailable: "el banco que recibe no responde",
  funds_missing: "faltan fondos en la cuenta que paga",
  limit_exceeded: "supera un límite de la cuenta",
  stopped_by_bank: "un banco la detuvo para revisarla",
  other: "el banco no dice por qué",
  charge_not_booked: "un cobro que no está en los libros",
  card_processor: "procesador de tarjetas",
  financing_provider: "financista",
  bank: "banco",
};

const moments = new Intl.DateTimeFormat("es-CL", {
  timeZone: "America/Santiago",
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** A moment as clocks in Santiago show it. */
export function momentWords(iso: string): string {
  return moments.format(new Date(iso));
}

/** `2 d 5 h`; the largest two units. */
export function durationWords(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`;
}
