import { momentWords, ROLE_WORDS, resolutionWords } from "./words.ts";

/*
 * The operations' sentences are English, for the command line and for JSON. Pages show them in Spanish; a test finds
 * those without a translation.
 */

/** Each English sentence and its translation; `{}` stands for the same value in both, in the same sequence. */
const SENTENCES: readonly (readonly [english: string, spanish: string])[] = [
  // Results of resolutions.
  ["Dismissed; it is listed again if it recurs.", "Apartada: vuelve a la lista si pasa otra vez."],
  ["The inquiry runs now; look again in a moment.", "Se está preguntando; mira otra vez en un momento."],
  [
    "The patient is notified. The card is charged again on {}.",
    "El paciente recibe aviso. La tarjeta se cobra otra vez el {}.",
  ],
  [
    "Released, but failed: its card can no longer be charged. The patient must give another card.",
    "Se dejó seguir, pero falló: su tarjeta ya no se puede cobrar. El paciente tiene que dar otra.",
  ],
  [
    "The collection continues. The patient is notified before the charge on {}.",
    "El cobro sigue. El paciente recibe aviso antes del cobro del {}.",
  ],
  [
    "The collection continues, but an unfinished refund claims all that is due. If it fails, the patient is notified before a charge.",
    "El cobro sigue, pero una devolución sin terminar usa todo lo que se debe. Si falla, el paciente recibe aviso antes de un cobro.",
  ],
  [
    "The collection continues, but the patient's data is blocked. Nothing is charged before that ends and the patient is notified.",
    "El cobro sigue, pero los datos del paciente están bloqueados. No se cobra nada antes de que eso termine y el paciente reciba aviso.",
  ],
  [
    "The collection continues, but the patient has revoked the mandate. Nothing is charged unless they give another card or pay.",
    "El cobro sigue, pero el paciente revocó el mandato. No se cobra nada, salvo que dé otra tarjeta o pague.",
  ],
  [
    "Given up permanently. Nothing more is charged, and {} is booked as written off.",
    "Se abandonó para siempre. No se cobra nada más, y {} quedan como pérdida.",
  ],
  [
    "{} booked as paid; nothing is charged any more, and the patient is notified.",
    "{} quedan como pagados; no se cobra nada más y el paciente recibe aviso.",
  ],
  [
    "Recorded: the money is back, and the books stay unchanged.",
    "Anotado: el dinero volvió y los libros quedan como estaban.",
  ],
  ["{} booked as lost.", "{} quedan como pérdida."],
  [
    "{} booked as refunded by the clinic; the patient has it from the bank.",
    "{} quedan como devueltos por la clínica; el paciente los tiene por su banco.",
  ],
  ["The claim will be filed again.", "La solicitud se presenta otra vez."],
  ["Given up. Nothing more is filed.", "Abandonada. No se presenta nada más."],
  ["Recorded. The insurer is no longer asked about the claim.", "Anotado. No se pregunta más a la isapre por ella."],
  ["Recorded as filed. The patient is notified.", "Queda como presentada. El paciente recibe aviso."],
  [
    "The claim is held until the clinic sends the document.",
    "La solicitud espera hasta que la clínica envíe el documento.",
  ],
  [
    "Recorded as approved for {}. If the later charge was waiting, it is now due.",
    "Queda aprobada con el número {}. Si la segunda parte esperaba, ahora es exigible.",
  ],
  ["Recorded as rejected. The patient is notified.", "Queda como rechazada. El paciente recibe aviso."],
  ["Booked as repaid by another method.", "Queda como devuelto por otra vía."],
  ["{} booked as transferred.", "{} quedan como transferidos."],
  ["The document is requested again now.", "El documento se pide otra vez ahora."],
  [
    "The stored balances were recomputed from the ledger rows.",
    "Los saldos guardados se sumaron otra vez desde las filas del libro.",
  ],
  ["It is sent again.", "Se manda otra vez."],
  ["Confirmed. The next daily run pays into it.", "Confirmada. El próximo pago diario va a ella."],
  ["{} go back to the card.", "{} vuelven a la tarjeta."],
  ["The loan of {} is being cancelled.", "El crédito de {} se está anulando."],
  ["Answered; the patient was notified.", "Respondida; el paciente recibió aviso."],
  ["Corrected; the patient was notified.", "Corregido; el paciente recibió aviso."],
  [
    "Nothing is done yet: another operator has to request the same. Two people are needed for an account, and for one operator's decisions within 24 hours from {} on.",
    "Se necesitan dos personas para una cuenta, y para lo que un operador decide en 24 horas desde {}.",
  ],
  [
    "Recorded as done. The call is settled in a moment, as if the party had answered.",
    "Anotado: se hizo. La operación termina en un momento, como si el tercero hubiera respondido.",
  ],
  [
    "Recorded as not done. The call is settled in a moment. The service may make another one: do not make it by hand.",
    "Anotado: no se hizo. La operación termina en un momento. El servicio puede hacer otra: no la hagas a mano.",
  ],
  // Results of acts that need two people.
  ["New {}. {}", "Credencial nueva: {}. {}"],
  ["The old one has ended.", "La anterior terminó."],
  ["The old one ends in {} h.", "La anterior termina en {} h."],
  ["The support e-mail is changed.", "El correo de ayuda cambió."],
  [
    "Added {} as {}. They cannot approve anything for 24 hours.",
    "Se agregó a {} con el rol {}. No puede aprobar nada por 24 horas.",
  ],
  ["The role of {} is now {}.", "El rol de {} ahora es {}."],
  [
    "The new token of {} is valid from now on; the old one is not.",
    "El token nuevo de {} sirve desde ahora; el anterior ya no.",
  ],
  // Refusals of resolutions.
  ["An inquiry is already running.", "Ya se está preguntando."],
  ["This exception is not about an order.", "Esta excepción no es de una orden."],
  ["Give the amount that arrived in --amount, in pesos.", "Di cuánto llegó, en pesos."],
  ["Say in --note how you know that it arrived.", "Di en «Por qué» cómo se sabe que llegó."],
  ["The collection has not failed.", "El cobro no ha fallado."],
  ["The collection has not been stopped.", "El cobro no está detenido."],
  ["The collection has neither failed nor been stopped.", "El cobro no ha fallado ni está detenido."],
  ["The collection was not written off.", "El cobro no se dio por perdido."],
  [
    "The patient's bank took money back. Handle the chargeback first.",
    "El banco del paciente devolvió un cobro. Resuelve primero el contracargo.",
  ],
  [
    "The patient has revoked the mandate. They must give another card, or pay by another method.",
    "El paciente revocó el mandato. Tiene que dar otra tarjeta o pagar por otra vía.",
  ],
  [
    "The card will never work again. The patient must give another card.",
    "La tarjeta ya no sirve. El paciente tiene que dar otra.",
  ],
  [
    "The card has no tries left of those promised to the patient. They must give another card.",
    "A la tarjeta no le quedan intentos de los prometidos al paciente. Tiene que dar otra.",
  ],
  ["The amount taken back by the bank is already booked.", "Lo que el banco devolvió ya está en los libros."],
  [
    "The clinic has no share left in the amount that the bank took back.",
    "A la clínica no le queda parte de lo que el banco devolvió.",
  ],
  ["Nothing is due.", "No se debe nada."],
  [
    "A charge of the card is in progress and may take the amount. Wait for its outcome.",
    "Hay un cobro en curso que puede tomar el monto. Espera cómo termina.",
  ],
  ["Only the whole due amount can be booked as paid.", "Solo se puede anotar como pagado todo lo que se debe."],
  [
    "Only the whole due amount can be booked as paid. It is {}.",
    "Solo se puede anotar como pagado todo lo que se debe: {}.",
  ],
  [
    "This difference is not about a loan that the lender has and the books do not.",
    "Esta diferencia no es de un crédito que tiene el financista y no está en los libros.",
  ],
  [
    "The lender no longer lists this loan unchanged. Agree with the lender what happens to it.",
    "El financista ya no tiene este crédito como estaba. Acuerda con él qué pasa con el crédito.",
  ],
  ["This loan no longer exists.", "Este crédito ya no existe."],
  [
    "The order's payment may still request this loan, and will then find it.",
    "El pago de la orden todavía puede pedir este crédito, y entonces lo encontrará.",
  ],
  ["It is already being cancelled.", "Ya se está anulando."],
  [
    "This difference is not about a charge that the processor has and the books do not.",
    "Esta diferencia no es de un cobro que tiene el procesador y no está en los libros.",
  ],
  ["This charge no longer exists.", "Este cobro ya no existe."],
  [
    "The order may still request this charge, and will then find it.",
    "La orden todavía puede pedir este cobro, y entonces lo encontrará.",
  ],
  ["It is already being returned.", "Ya se está devolviendo."],
  [
    "The charge is too old for the processor to return. Pay the patient by bank transfer, then dismiss this with a note.",
    "El cobro es muy antiguo para que el procesador lo devuelva. Paga al paciente por transferencia y después aparta esto con una nota.",
  ],
  [
    "The patient's bank is taking the charge back. Pay nothing in addition, and dismiss this when the dispute has ended.",
    "El banco del paciente está devolviendo el cobro. No pagues nada aparte, y aparta esto cuando termine la disputa.",
  ],
  [
    "The processor refused to return the charge. Agree with it how the patient gets the money.",
    "El procesador no quiso devolver el cobro. Acuerda con él cómo recibe el dinero el paciente.",
  ],
  [
    "Say in --note how the payee confirmed it. The mail alone is not enough.",
    "Di en «Por qué» cómo la confirmó el destinatario. El correo solo no basta.",
  ],
  ["This account no longer waits for confirmation.", "Esta cuenta ya no espera confirmación."],
  ["Say in --note how the patient was paid back.", "Di en «Por qué» cómo se le devolvió al paciente."],
  ["Say in --note how the patient was paid.", "Di en «Por qué» cómo se le pagó al paciente."],
  ["This exception names no amount.", "Esta excepción no nombra un monto."],
  ["Its address and text are not kept any more.", "Su dirección y su texto ya no se guardan."],
  ["The note must be the missing document: {}.", "Elige cuál documento falta: {}."],
  [
    "The note must be the claim's number: letters, digits, dots, slashes and hyphens.",
    "Escribe el número de la solicitud: letras, dígitos, puntos, barras y guiones.",
  ],
  ["Another claim at this isapre has this number.", "Otra solicitud en esta isapre tiene este número."],
  ["Enter the approved amount and the day of the approval.", "Escribe el monto aprobado y el día de la aprobación."],
  ["The day of the approval is in the future.", "El día de la aprobación todavía no llega."],
  ["The approval is older than the filing.", "La aprobación es anterior a la presentación."],
  ["The amount is more than the claim's total, {}.", "El monto es más que el total de la solicitud, {}."],
  [
    "The patient's data is blocked, or they withdrew a consent: no answer is recorded.",
    "Los datos del paciente están bloqueados, o retiró un consentimiento: no se anota ninguna respuesta.",
  ],
  ["The claim's current state does not allow this.", "Como está ahora, la solicitud no permite esto."],
  [
    "The note is the answer to the patient and cannot be left out.",
    "La nota es la respuesta al paciente; no puede faltar.",
  ],
  ["It was withdrawn with the patient's data.", "Se retiró junto con los datos del paciente."],
  ["It was answered already.", "Ya se respondió."],
  [
    "The patient's request has more than the corrected value: refuse it, and ask for the value alone.",
    "El paciente escribió más que el dato corregido: rechaza la solicitud y pídele solo el dato.",
  ],
  [
    "Its note is mailed to one patient: resolve them one by one.",
    "Su nota se envía a un paciente: resuélvelas una por una.",
  ],
  ["There is no exception with this name.", "No hay ninguna excepción con este nombre."],
  [
    "There is no exception with this name. See `aapd exceptions list`.",
    "No hay ninguna excepción con este nombre: mira la lista.",
  ],
  [
    "It has changed since it was listed. See `aapd exceptions list`.",
    "Cambió desde que se mostró: mira la lista otra vez.",
  ],
  [
    "Other operators are requesting the same at this moment. See `aapd exceptions list`.",
    "Otros operadores están pidiendo lo mismo en este momento: mira la lista.",
  ],
  ["A note may have at most 200 characters.", "Una nota puede tener hasta 200 caracteres."],
  ["A note must not contain a card number.", "Una nota no puede llevar el número de una tarjeta."],
  ["The resolution {} does not apply to {}.", "«{}» no sirve para esta excepción ({})."],
  [
    "This call has ended, goes to the lender, or is settled by its party's own list.",
    "Esta operación ya terminó, es con el financista, o la resuelve la lista del tercero.",
  ],
  [
    "The note must begin with the number of the movement in the portal.",
    "Empieza la nota con el número del movimiento en el portal.",
  ],
  ["Say in --note what the portal shows, and for which day.", "Di en «Por qué» qué muestra el portal, y de qué día."],
  ["What the portal shows of this call was already entered.", "Ya se anotó qué muestra el portal de esta operación."],
  // Refusals of acts that need two people, and of operators.
  ["Your role does not allow this.", "Tu rol no permite esto."],
  [
    "You made this request yourself. Another operator has to approve it.",
    "Tú hiciste esta solicitud. Otra persona tiene que aprobarla.",
  ],
  [
    "You are new: you may approve from {} on. Another operator has to approve it.",
    "Llegaste hace poco: puedes aprobar desde el {}. Otra persona tiene que aprobarla.",
  ],
  [
    "You may not approve requests of the operators who added you or changed your role. Another operator has to approve it.",
    "No puedes aprobar lo que piden quienes te agregaron o cambiaron tu rol. Otra persona tiene que aprobarla.",
  ],
  [
    "You may not approve requests of an operator whom you added or whose role you changed. Another operator has to approve it.",
    "No puedes aprobar lo que pide alguien que agregaste o cuyo rol cambiaste. Otra persona tiene que aprobarla.",
  ],
  [
    "The operator who made this request has been removed. Another operator has to make it.",
    "Quien hizo esta solicitud ya no es operador. Otra persona tiene que hacerla.",
  ],
  [
    "There is no open request with this id. See `aapd approvals list`.",
    "No hay ninguna solicitud abierta con este número: mira Aprobaciones.",
  ],
  ["This is already the clinic's support e-mail.", "Ese ya es el correo de ayuda de la clínica."],
  ["There is no such operator.", "No existe ese operador."],
  ["There is no such operator with a token.", "No existe ese operador con un token."],
  ["Their role is already {}.", "Su rol ya es {}."],
  ["An operator has or had this name, or has this e-mail.", "Un operador tiene o tuvo ese nombre, o tiene ese correo."],
  [
    "A name must have 2 to 40 lower-case letters, digits, dots and dashes.",
    "Un nombre lleva de 2 a 40 letras minúsculas, dígitos, puntos y guiones.",
  ],
  ["An overlap must be 0 to {} days.", "Las dos pueden servir juntas de 0 a {} días."],
  [
    "No fee is agreed with this provider yet. Set the fee first.",
    "Todavía no hay una comisión acordada con esta clínica. Acuérdala primero.",
  ],
  [
    "Your role finds orders by hash or reference. A colleague in support can find a patient by RUT or e-mail.",
    "Tu rol busca por orden o referencia. Alguien de soporte puede buscar a un paciente por RUT o correo.",
  ],
  // Inputs.
  ['is not a field of this request. Did you mean "{}"?', "no es un campo de este formulario"],
  ["has unknown fields ({}); allowed: {}", "trae campos desconocidos ({})"],
  ["must not hold a NUL character", "no puede llevar un carácter nulo"],
  ["must not hold a card number", "no puede llevar el número de una tarjeta"],
  ["must be whole pesos, such as 53110 or 53.110", "escribe pesos enteros, como 53110 o 53.110"],
  ["must be a day such as 2026-11-20", "escribe un día, como 2026-11-20"],
  ["must be a time such as 2026-11-20T12:00:00Z", "escribe un momento, como 2026-11-20T12:00:00Z"],
  ["must be a month such as 2026-11", "escribe un mes, como 2026-11"],
  ["must not be before from", "no puede ser anterior al primer día"],
  // Attempts of webhooks.
  [
    "The endpoint did not answer within {} seconds. Answer 2xx first, and process the event afterwards.",
    "No respondió en {} segundos. Debe responder 2xx primero y procesar después.",
  ],
  [
    "The name in the endpoint's address could not be resolved (DNS).",
    "No se pudo resolver el nombre de su dirección (DNS).",
  ],
  [
    "The connection was refused: nothing listens at the endpoint's address and port.",
    "Rechazó la conexión: nada escucha en su dirección y puerto.",
  ],
  [
    "No secure connection was established (TLS): the certificate has expired, is for another name, or its chain is incomplete.",
    "No hubo conexión segura (TLS): el certificado venció, es de otro nombre o su cadena está incompleta.",
  ],
  ["The connection was lost before an answer arrived.", "La conexión se cortó antes de la respuesta."],
  [
    "The endpoint answered with a redirect, which is not followed. Register the address that it leads to.",
    "Respondió con una redirección, que no se sigue. Se debe registrar la dirección final.",
  ],
  ["The endpoint's address is not public, or is not https.", "Su dirección no es pública o no es https."],
  [
    "The service could not make the attempt, which is not the endpoint's fault.",
    "El servicio no pudo hacer el intento; no es culpa de la clínica.",
  ],
  [
    "The endpoint answered {}: it refuses the webhook. `answer` has the beginning of its body.",
    "Respondió {}: rechaza el webhook.",
  ],
  [
    "The endpoint answered {}: it failed itself. `answer` has the beginning of its body.",
    "Respondió {}: falló su propio sistema.",
  ],
  // Refunds that a clinic has to finish.
  ["A failed refund returns nothing: {}.", "Una devolución que falló no devuelve nada: {}."],
  ["The refund gave {} back, and {} not: {}.", "La devolución devolvió {}, y {} no: {}."],
  [
    "the charge is too old for the processor, which refuses it again, so that the clinic gives {} back by bank transfer",
    "el cobro es muy antiguo para el procesador, así que la clínica lo devuelve por transferencia",
  ],
  [
    "the patient's bank takes the charge back, so that the clinic pays nothing beside it and asks again when that has ended",
    "el banco del paciente está devolviendo el cobro, así que la clínica no paga nada aparte y lo pide otra vez cuando termine",
  ],
  ["the clinic asks for {} again, or gives it back itself", "la clínica lo pide otra vez o lo devuelve ella misma"],
];

const PATTERNS = SENTENCES.map(([english, spanish]) => ({
  pattern: new RegExp(`^${english.split("{}").map(escaped).join("(.+?)")}$`),
  spanish,
}));

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The Spanish of an operation's sentence; null if it has none. */
export function inSpanish(english: string): string | null {
  for (const { pattern, spanish } of PATTERNS) {
    const [whole, ...values] = pattern.exec(english) ?? [];
    if (whole !== undefined) return filled(spanish, values);
  }
  return null;
}

function filled(spanish: string, values: readonly string[]): string {
  const left = values.map(valueWords);
  return spanish.replaceAll("{}", () => left.shift() ?? "");
}

/** A moment, a role, a resolution or a sentence within a sentence; anything else is the same in both languages. */
function valueWords(value: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return momentWords(value);
  if (value in ROLE_WORDS) return ROLE_WORDS[value as keyof typeof ROLE_WORDS];
  return inSpanish(value) ?? resolutionWords(value);
}
