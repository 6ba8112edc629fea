import * as z from "zod/mini";
import { ERROR_CODES } from "./error-codes.ts";
import { quoteSchema } from "./quote.ts";
import {
  EXPENSE_FILE_MEGABYTES_MAX,
  EXPENSE_FILES_MAX,
  LINK_ACCESS_MINUTES,
  OBJECTION_HOURS,
  SEALED_CARD_MINUTES_MAX,
} from "./terms.ts";

/**
 * Everything about each error code; a new code needs one entry here and its name in `error-codes.ts`. Texts are English
 * for partners' calls and Chilean Spanish for the widget's calls. Match on the code: the texts may change.
 */
export const errorCodes = {
  // 400: the request cannot be read, or a business rule forbids it
  malformed_json: {
    status: 400,
    audience: "both",
    kept: false,
    en: "The body is not valid JSON.",
    es: "No pudimos leer la solicitud.",
  },
  unreadable_body: {
    status: 400,
    audience: "both",
    kept: false,
    en: "The body could not be read: it was cut, is encoded in an unsupported way, or is not of the expected content type.",
    es: "No pudimos leer la solicitud.",
  },
  customer_email_required: {
    status: 400,
    audience: "partner",
    kept: false,
    en: "customer.email is required.",
    es: "Falta el correo electrónico.",
  },
  total_amount_negative: {
    status: 400,
    audience: "partner",
    kept: false,
    en: "total_amount must not be negative.",
    es: "El monto no puede ser negativo.",
  },
  amount_too_small: {
    status: 400,
    audience: "both",
    kept: true,
    en: "The first instalment of this amount is zero, so that there is nothing to charge.",
    es: "El monto es demasiado pequeño para pagarlo en cuotas.",
  },
  amount_too_large: {
    status: 400,
    audience: "both",
    kept: true,
    en: "The later charge of this amount is more than the card processor charges at once, or one patient in a day.",
    es: "El segundo cobro de este monto supera el máximo que se puede cobrar a una tarjeta.",
  },
  provider_rut_not_allowed: {
    status: 400,
    audience: "partner",
    kept: false,
    en: "provider_rut may be sent by meta-providers only.",
    es: "Este prestador no puede indicar un centro.",
  },
  provider_data_not_allowed: {
    status: 400,
    audience: "partner",
    kept: true,
    en: "provider_data may be sent by meta-providers only. Remove it, or have meta-provider mode enabled.",
    es: "Este prestador no puede enviar provider_data.",
  },
  origin_not_registered: {
    status: 400,
    audience: "partner",
    kept: true,
    en: "parent_origin is not among the provider's registered origins.",
    es: "La página que muestra este pago no está registrada.",
  },
  return_url_not_registered: {
    status: 400,
    audience: "partner",
    kept: true,
    en: "return_url is not among the provider's registered return URLs.",
    es: "La dirección de regreso no está registrada.",
  },
  processor_customer_identity_not_validated: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The patient's identity has not been validated for this order.",
    es: "Primero confirma tu identidad.",
  },
  processor_payment_method_not_found: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "No payment method has been added to this order.",
    es: "Primero agrega tu tarjeta.",
  },
  consents_missing: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "A consent that this step requires is missing, or its text is not the current one.",
    es: "Falta aceptar las condiciones.",
  },
  quote_changed: {
    status: 409,
    audience: "patient",
    kept: false,
    en: "The quote that was shown is not that of now: `quote` is, to be shown before it is paid.",
    es: "Las condiciones cambiaron. Revísalas antes de pagar.",
  },
  patient_code_required: {
    status: 400,
    audience: "patient",
    kept: true,
    en: `The one-time code of this link has not been answered on this page, or more than ${LINK_ACCESS_MINUTES} minutes ago.`,
    es: "Confirma que eres tú con el código que te enviamos por correo.",
  },
  card_declined: {
    status: 400,
    audience: "patient",
    kept: true,
    en: "The card was declined.",
    es: "Tu banco no aprobó la tarjeta.",
  },
  card_expires_too_soon: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The card expires before the latest date of the deferred charge.",
    es: "Tu tarjeta vence antes de la fecha del segundo cobro. Usa otra.",
  },
  card_page_abandoned: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The patient left the card processor's page, or its time ran out. No card was added; open it again.",
    es: "No terminaste de inscribir tu tarjeta. Ábrela de nuevo para intentarlo otra vez.",
  },
  card_page_needed: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The card processor asks for this card on its own page: its address is answered to an inquiry about the card page.",
    es: "El procesador de tarjetas te pide confirmar esta tarjeta en su página.",
  },
  card_page_not_offered: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The card page is not enabled for this provider. Send sealed_card.",
    es: "No podemos abrir la página del procesador de tarjetas.",
  },
  stored_card_refused: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The saved card cannot be used. Add a card.",
    es: "No podemos usar la tarjeta guardada. Agrega una tarjeta.",
  },
  stored_card_code_required: {
    status: 400,
    audience: "patient",
    kept: false,
    en: "The code that the patient answered was not for this saved card. Ask for one that is: `POST /orders/{hash}/recognition` with `stored_card`.",
    es: "Para pagar con esta tarjeta guardada, pide un código para ella.",
  },
  sealed_card_refused: {
    status: 400,
    audience: "patient",
    kept: true,
    en: `The sealed card cannot be opened, is not for this order, or was sealed more than ${SEALED_CARD_MINUTES_MAX} minutes ago.`,
    es: "Vuelve a ingresar los datos de tu tarjeta.",
  },
  credit_declined: {
    status: 400,
    audience: "patient",
    kept: true,
    en: "The financing provider refused the credit. The reasons are in `reasons`, and `first_instalment` says whether it was charged, and went back.",
    es: "El crédito no fue aprobado.",
  },
  refund_amount_invalid: {
    status: 400,
    audience: "partner",
    kept: false,
    en: "amount must be an integer of at least one peso.",
    es: "El monto de la devolución no es válido.",
  },
  refund_amount_exceeds: {
    status: 400,
    audience: "partner",
    kept: false,
    en: "amount exceeds the refundable amount.",
    es: "El monto de la devolución supera lo que queda por devolver.",
  },
  partial_refund_not_supported: {
    status: 400,
    audience: "partner",
    kept: false,
    en: "A debit or prepaid charge can be returned only in full.",
    es: "Un pago con débito o prepago solo puede devolverse completo.",
  },
  refund_refused: {
    status: 400,
    audience: "partner",
    // After the dispute ends, the same request may succeed.
    kept: false,
    en: "Nothing can be given back, and no money has moved. `reason` says why. After `card_refused` ask again under another `refund_reference` and `Idempotency-Key`.",
    es: "No hay de dónde hacer la devolución, y no se movió dinero. Si la tarjeta la rechazó, pídela de nuevo con otra referencia.",
  },
  no_files: {
    status: 400,
    audience: "partner",
    kept: true,
    en: "At least one file is required in uploaded_files.",
    es: "Adjunta al menos un archivo.",
  },
  too_many_files: {
    status: 400,
    audience: "partner",
    kept: true,
    en: `At most ${EXPENSE_FILES_MAX} files may be sent.`,
    es: `Puedes adjuntar ${EXPENSE_FILES_MAX} archivos como máximo.`,
  },
  file_too_large: {
    status: 400,
    audience: "partner",
    kept: true,
    en: `Each file may have at most ${EXPENSE_FILE_MEGABYTES_MAX} MB.`,
    es: `Cada archivo puede pesar ${EXPENSE_FILE_MEGABYTES_MAX} MB como máximo.`,
  },
  processing_error: {
    status: 400,
    audience: "partner",
    kept: true,
    en: "The submission could not be processed.",
    es: "No pudimos procesar el envío.",
  },
  endpoint_url_not_allowed: {
    status: 400,
    audience: "partner",
    kept: true,
    en: "The URL must be HTTPS and resolve to a public address.",
    es: "La dirección no está permitida.",
  },
  // 401, 403
  invalid_credential: {
    status: 401,
    audience: "both",
    kept: true,
    en: "The credential is missing, unknown, of the wrong kind, or of another environment.",
    es: "No pudimos verificar el acceso.",
  },
  invalid_public_key: {
    status: 401,
    audience: "both",
    kept: true,
    en: "Invalid or unknown public key",
    es: "No pudimos verificar el acceso de la clínica.",
  },
  invalid_provider: {
    status: 401,
    audience: "partner",
    kept: true,
    en: "The provider of this public key is unknown or inactive.",
    es: "No pudimos verificar el acceso de la clínica.",
  },
  scope_missing: {
    status: 403,
    audience: "partner",
    kept: true,
    en: "The credential lacks the scope that this endpoint requires.",
    es: "Este acceso no tiene permiso para esta operación.",
  },
  // 404
  not_found: {
    status: 404,
    audience: "both",
    kept: true,
    en: "There is nothing at this address.",
    es: "No encontramos lo que buscas.",
  },
  order_not_found: {
    status: 404,
    audience: "both",
    kept: false,
    en: "No such order.",
    es: "No encontramos esta orden.",
  },
  center_not_found: {
    status: 404,
    audience: "partner",
    kept: false,
    en: "No such centre.",
    es: "No encontramos este centro.",
  },
  beneficiary_not_found: {
    status: 404,
    audience: "both",
    kept: true,
    en: "No beneficiary with this RUT. Onboard the patient first, or skip the submission.",
    es: "No encontramos un beneficiario con este RUT.",
  },
  expense_not_found: {
    status: 404,
    audience: "partner",
    kept: true,
    en: "No such expense. Use the `id` that its submission returned.",
    es: "No encontramos esta boleta.",
  },
  widget_token_not_found: {
    status: 404,
    audience: "both",
    kept: true,
    en: "No such widget token. Mint a new one.",
    es: "Este enlace no existe. Pide uno nuevo.",
  },
  webhook_endpoint_not_found: {
    status: 404,
    audience: "partner",
    kept: true,
    en: "No such webhook endpoint.",
    es: "No encontramos este destino.",
  },
  delivery_not_found: {
    status: 404,
    audience: "partner",
    kept: true,
    en: "No such delivery.",
    es: "No encontramos este envío.",
  },
  payout_not_found: {
    status: 404,
    audience: "partner",
    kept: true,
    en: "No such payout.",
    es: "No encontramos esta transferencia.",
  },
  // 405
  method_not_allowed: {
    status: 405,
    audience: "partner",
    kept: false,
    en: "This address does not support this method. The Allow header lists the supported ones.",
    es: "No pudimos leer la solicitud.",
  },
  // 409, 410
  duplicate_reference: {
    status: 409,
    audience: "partner",
    kept: true,
    en: "An order with this reference exists. Its hash is in order_hash.",
    es: "Ya existe una orden con esta referencia.",
  },
  webhook_endpoint_exists: {
    status: 409,
    audience: "partner",
    kept: false,
    en: "An endpoint with this URL exists. Its id is in webhook_endpoint_id: change it, or delete it first.",
    es: "Esta dirección ya está registrada.",
  },
  idempotency_in_flight: {
    status: 409,
    audience: "both",
    kept: true,
    en: "The first request with this Idempotency-Key is still running. Try again shortly.",
    es: "Tu solicitud anterior sigue en curso. Espera un momento.",
  },
  order_of_another_patient: {
    status: 409,
    audience: "partner",
    kept: false,
    en: "The order of order_token is another patient's: its customer.rut is not the RUT that was sent. Send the token of this patient's order, or leave the RUT out.",
    es: "Esta orden es de otra persona.",
  },
  order_not_payable: {
    status: 409,
    audience: "both",
    kept: true,
    en: "The order is not waiting for a payment.",
    es: "Esta orden ya no se puede pagar.",
  },
  page_not_shown: {
    status: 409,
    audience: "patient",
    kept: false,
    en: "No page of this order's checkout has reported that it was shown to the patient. The code is answered on the widget's page only.",
    es: "Escribe el código en la página de pago que abriste tú.",
  },
  order_not_cancellable: {
    status: 409,
    audience: "partner",
    kept: true,
    en: "Only a pending order may be cancelled.",
    es: "Esta orden ya no se puede anular.",
  },
  payment_in_progress: {
    status: 409,
    audience: "both",
    kept: false,
    en: "A payment of this order is in progress. Try again when it has ended.",
    es: "Hay un pago en curso para esta orden.",
  },
  order_not_refundable: {
    status: 409,
    audience: "partner",
    kept: false,
    en: "Only a paid order with something left to refund may be refunded.",
    es: "Esta orden no se puede devolver.",
  },
  RUT_OTHER_EMAIL: {
    status: 409,
    audience: "patient",
    kept: false,
    en: "This RUT is registered under another e-mail address. The ways out are in `recovery`.",
    es: "Este RUT ya está registrado con otro correo.",
  },
  consent_not_withdrawable: {
    status: 409,
    audience: "patient",
    kept: true,
    en: "This consent cannot be withdrawn: it closed a contract.",
    es: "Esta autorización no se puede retirar: con ella aceptaste un contrato.",
  },
  email_change_unsettled: {
    status: 409,
    audience: "patient",
    kept: true,
    en: "The address of this RUT was changed, and who had it before may still object.",
    es: `El correo de este RUT cambió hace poco. Inténtalo cuando pasen ${OBJECTION_HOURS} horas desde el cambio.`,
  },
  widget_token_expired: {
    status: 410,
    audience: "both",
    kept: true,
    en: "The widget token has expired. Mint a new one, or use long_term_token or expires_in_minutes.",
    es: "Este enlace venció. Pide uno nuevo.",
  },
  widget_token_revoked: {
    status: 410,
    audience: "patient",
    kept: true,
    en: "The widget token was revoked. Mint a new one.",
    es: "La clínica anuló este enlace. Pídele uno nuevo.",
  },
  widget_token_used: {
    status: 410,
    audience: "both",
    kept: true,
    en: "The widget token has been used.",
    es: "Este enlace ya se usó.",
  },
  recovery_code_expired: {
    status: 410,
    audience: "patient",
    kept: true,
    en: "The recovery code has expired. Ask for a new one.",
    es: "El código venció. Pide uno nuevo.",
  },
  // 413
  body_too_large: {
    status: 413,
    audience: "both",
    kept: false,
    en: "The body is larger than this endpoint takes.",
    es: "La solicitud es demasiado grande.",
  },
  // 422
  validation_error: {
    status: 422,
    audience: "both",
    kept: false,
    en: "The request is invalid. `errors` lists each invalid field.",
    es: "Revisa los datos ingresados.",
  },
  raw_card_refused: {
    status: 422,
    audience: "patient",
    kept: false,
    en: "The body holds a card number in the clear. Send sealed_card only.",
    es: "Por seguridad no recibimos números de tarjeta sin proteger.",
  },
  document_serial_malformed: {
    status: 422,
    audience: "patient",
    kept: false,
    en: "The identity document's serial is malformed.",
    es: "Revisa el número de documento: son 9 dígitos, como 123.456.789.",
  },
  identity_rejected: {
    status: 422,
    audience: "patient",
    kept: true,
    en: "The national registry does not match this serial with this RUT.",
    es: "El número de documento no corresponde a este RUT.",
  },
  identity_document_not_valid: {
    status: 422,
    audience: "patient",
    kept: true,
    en: "The identity document is expired or blocked.",
    es: "Tu documento no está vigente.",
  },
  patient_under_age: {
    status: 422,
    audience: "patient",
    kept: true,
    en: "The patient is under age, and cannot take the credit.",
    es: "El paciente es menor de edad y no puede tomar el crédito.",
  },
  identity_attempts_exhausted: {
    status: 422,
    audience: "patient",
    kept: false,
    en: "Too many rejected attempts. Try again when Retry-After has passed.",
    es: "Hiciste demasiados intentos. Espera un momento y vuelve a probar.",
  },
  provider_rut_required: {
    status: 422,
    audience: "partner",
    kept: false,
    en: "A meta-provider must name the centre in provider_rut.",
    es: "Falta indicar el centro.",
  },
  insurer_not_supported: {
    status: 422,
    audience: "patient",
    kept: true,
    en: "The flow needs an isapre; this insurer is not supported.",
    es: "Por ahora solo funciona con isapre.",
  },
  recovery_code_invalid: {
    status: 422,
    audience: "patient",
    kept: true,
    en: "The code is not right.",
    es: "El código no es correcto.",
  },
  refund_reference_reused: {
    status: 422,
    audience: "partner",
    kept: true,
    en: "This refund_reference was used for a refund of another amount. Use another one for another refund.",
    es: "No pudimos repetir la solicitud.",
  },
  idempotency_key_reused: {
    status: 422,
    audience: "both",
    kept: true,
    en: "This Idempotency-Key was used with another body.",
    es: "No pudimos repetir la solicitud.",
  },
  idempotency_key_malformed: {
    status: 422,
    audience: "both",
    kept: true,
    en: "Idempotency-Key must have 1 to 255 printable characters.",
    es: "No pudimos leer la solicitud.",
  },
  // 429, 5xx
  rate_limited: {
    status: 429,
    audience: "both",
    kept: false,
    en: "Too many requests. Try again when Retry-After has passed.",
    es: "Demasiadas solicitudes. Espera un momento y vuelve a probar.",
  },
  internal_error: {
    status: 500,
    audience: "both",
    kept: false,
    en: "Something failed on our side. Retry with backoff; if it persists, send the request_id to support.",
    es: "Algo falló de nuestro lado. Inténtalo de nuevo.",
  },
  upstream_unavailable: {
    status: 502,
    audience: "both",
    kept: false,
    en: "The service behind this address did not answer.",
    es: "El servicio no responde. Inténtalo de nuevo.",
  },
  service_unavailable: {
    status: 503,
    audience: "both",
    kept: false,
    en: "The service is temporarily unavailable. Retry with backoff.",
    es: "El servicio no está disponible por ahora. Inténtalo de nuevo.",
  },
  identity_registry_unavailable: {
    status: 503,
    audience: "patient",
    kept: false,
    en: "The national registry does not answer. Retry with backoff.",
    es: "El Registro Civil no responde por ahora. Inténtalo en unos minutos.",
  },
  card_processor_unavailable: {
    status: 503,
    audience: "patient",
    kept: false,
    en: "The card processor does not answer. Retry with backoff.",
    es: "El procesador de tarjetas no responde por ahora. Inténtalo en unos minutos.",
  },
  commission_not_allowed: {
    status: 503,
    audience: "partner",
    kept: false,
    en: "No orders can be created: the agreed fee exceeds the legal maximum rate. The operator has been notified.",
    es: "No se pueden crear órdenes: la comisión acordada supera la tasa máxima convencional. El operador ya fue avisado.",
  },
} as const satisfies Record<ErrorCode, ErrorFacts>;

interface ErrorFacts {
  readonly status: number;
  /**
   * Receiver of the error: a partner's back end, a patient through the widget, or either. The widget has texts for
   * `patient` and `both`.
   */
  readonly audience: "partner" | "patient" | "both";
  /**
   * Whether the response is replayed for the same Idempotency-Key. False if a retry may succeed, or if the request was
   * invalid and had no effect, so that the corrected request may use the same key.
   */
  readonly kept: boolean;
  readonly en: string;
  readonly es: string;
}

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The error codes that a patient may receive. */
export type PatientErrorCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]["audience"] extends "partner" ? never : Code;
}[ErrorCode];

export function isErrorCode(text: unknown): text is ErrorCode {
  return ERROR_CODES.some((code) => code === text);
}

export const fieldIssueSchema = z.object({ path: z.string(), message: z.string() });
/** One invalid field of a request: its path (`customer.rut`) and the problem, never the value itself. */
export type FieldIssue = z.infer<typeof fieldIssueSchema>;

/**
 * Why a card takes no return. `too_old`: the card processor returns no charge of that age, so asking again is useless.
 * `disputed`: the patient's bank is taking the charge back.
 */
export const refundRefusalSchema = z.enum(["too_old", "disputed"]);
export type RefundRefusal = z.infer<typeof refundRefusalSchema>;

/** Why a card was declined; each reason suggests to the patient what to do next. */
export const declineReasonSchema = z.enum([
  "declined",
  "insufficient_funds",
  "card_expired",
  "card_lost_or_stolen",
  "card_blocked",
  "security_code_wrong",
  "authentication_failed",
  "authentication_abandoned",
]);
export type DeclineReason = z.infer<typeof declineReasonSchema>;

/**
 * The card limit that a charge exceeded. `amount`: the amount that may be paid at once or in a day. `uses`: the number
 * of uses.
 */
export const declineLimitSchema = z.enum(["amount", "uses"]);
export type DeclineLimit = z.infer<typeof declineLimitSchema>;

/** Why a charge was declined, as reported by its issuer. */
export interface DeclineCause {
  readonly reason: DeclineReason;
  readonly limit?: DeclineLimit | undefined;
}

/** Only the cause, without other fields. */
export function causeOf({ reason, limit }: DeclineCause): DeclineCause {
  return { reason, ...(limit !== undefined && { limit }) };
}

/** The cause as the fields of `card_declined`. */
export function declinedBecause({
  reason,
  limit,
}: DeclineCause): Pick<ErrorAdditions, "decline_reason" | "decline_limit"> {
  return { decline_reason: reason, ...(limit !== undefined && { decline_limit: limit }) };
}

/**
 * The outcome of the first instalment of a payment whose credit is refused. `not_returned`: it was charged and the card
 * accepts no return, so an operator repays it by another method.
 */
export const refusedInstalmentSchema = z.enum(["not_charged", "returned", "not_returned"]);
export type RefusedInstalment = z.infer<typeof refusedInstalmentSchema>;

/** The status of the collection of an order's deferred part. */
export const collectionStatusSchema = z.enum(["scheduled", "processing", "collected", "failed", "cancelled"]);

/** The status of a patient's request to be erased. */
export const erasureStatusSchema = z.enum(["waiting", "erased"]);

/** The fields that an error response may have besides `detail` and `code`. */
const additions = {
  errors: z.optional(z.array(fieldIssueSchema)),
  request_id: z.optional(z.string()),
  order_hash: z.optional(z.string()),
  /** With `webhook_endpoint_exists`: the endpoint that has the URL. */
  webhook_endpoint_id: z.optional(z.string()),
  attempts_left: z.optional(z.int()),
  retry_after_seconds: z.optional(z.int()),
  decline_reason: z.optional(declineReasonSchema),
  /**
   * With `payment_in_progress`: when the issuer's challenge ends, and another card can be used if the patient has not
   * paid.
   */
  challenge_ends_at: z.optional(z.iso.datetime()),
  /** With `decline_reason`: the card limit that was exceeded, if the issuer reports it. */
  decline_limit: z.optional(declineLimitSchema),
  /** With `widget_token_used`, for a caller who has answered the link's code. */
  collection_status: z.optional(collectionStatusSchema),
  /** With `collection_status`: the card on file for the later charge. */
  card_last4: z.optional(z.string()),
  /** With `widget_token_used`, for a link to one's own data that an erasure has used up. */
  erasure_status: z.optional(erasureStatusSchema),
  reasons: z.optional(z.array(z.string())),
  /** With `reasons`: whether the first instalment was charged and returned. */
  first_instalment: z.optional(refusedInstalmentSchema),
  /** With `quote_changed`: the current quote. */
  quote: z.optional(quoteSchema),
  /** Why a refund is refused: the patient's bank disputes the charge, or the card accepts no return. */
  reason: z.optional(z.enum(["charge_disputed", "card_refused"])),
  /** With `reason`: why the card accepts no return, if the processor reports it. */
  refused_because: z.optional(refundRefusalSchema),
  email_hint: z.optional(z.string()),
  recovery: z.optional(z.array(z.enum(["email_code", "identity"]))),
};

/** Body of every error response except an order endpoint's 404. */
export const errorBodySchema = z.object({
  detail: z.string(),
  code: z.string().check(z.refine(isErrorCode)),
  ...additions,
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Body of an order endpoint's 404. */
export const orderNotFoundBodySchema = z.object({
  detail: z.object({ error_code: z.string(), message: z.string() }),
  code: z.string().check(z.refine(isErrorCode)),
  request_id: z.optional(z.string()),
});

/** The additional fields that an error passes to its response. */
export type ErrorAdditions = Omit<ErrorBody, "detail" | "code" | "request_id">;
