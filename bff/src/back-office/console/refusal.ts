import * as z from "zod";
import type { FieldIssue } from "../../contract/errors.ts";

/** The console's refusals, in the words of pages and of JSON. */
export const REFUSALS = {
  not_signed_in: { status: 401, es: "Ingresa para seguir.", en: "Sign in, or send an operator's token." },
  token_expired: {
    status: 401,
    es: "Tu token venció. Renuévalo con aapd operator renew.",
    en: "The operator's token has expired. Renew it with `aapd operator renew`.",
  },
  not_allowed: { status: 403, es: "Tu rol no permite esto.", en: "Your role does not allow this." },
  foreign_page: {
    status: 403,
    es: "Este envío no viene de una página de la consola.",
    en: "This request does not come from a page of the console.",
  },
  sign_in_failed: {
    status: 403,
    es: "No pudimos confirmar quién eres. Pide un enlace nuevo o ingresa otra vez.",
    en: "Your identity could not be confirmed.",
  },
  not_an_operator: {
    status: 403,
    es: "El servicio de ingreso te conoce, pero nadie te agregó como operador.",
    en: "You have not been added as an operator.",
  },
  not_found: { status: 404, es: "No existe, o ya no existe.", en: "It does not exist, or no longer does." },
  refused: { status: 409, es: "No se puede hacer como está ahora.", en: "It cannot be done in the present state." },
  invalid_input: { status: 422, es: "Revisa lo que escribiste.", en: "The input is not valid." },
  too_large: { status: 413, es: "Lo que enviaste es demasiado largo.", en: "The request is too long." },
  failed: {
    status: 500,
    es: "Algo falló en el servicio. Si enviaste algo, mira si quedó hecho antes de repetirlo.",
    en: "Something failed in the service.",
  },
  unavailable: {
    status: 503,
    es: "El servicio no puede responder ahora. Si enviaste algo, mira si quedó hecho antes de repetirlo.",
    en: "The service is unavailable now.",
  },
  sign_in_unavailable: {
    status: 503,
    es: "El servicio de ingreso no responde. Intenta en un momento, o usa un enlace de la línea de comandos.",
    en: "The sign-in service is not responding.",
  },
} as const;
export type RefusalCode = keyof typeof REFUSALS;

/** A refusal for a caller that requested data. */
export const refusalSchema = z.object({
  detail: z.string(),
  code: z.enum(Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]]),
  request_id: z.string(),
  /** For invalid inputs. */
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .readonly()
    .optional(),
});

interface RefusalOptions extends ErrorOptions {
  readonly why?: string | null;
  readonly issues?: readonly FieldIssue[];
}

/** Thrown to answer with one of the refusals. */
export class ConsoleRefused extends Error {
  override readonly name = "ConsoleRefused";
  readonly code: RefusalCode;
  /** The exact reason, in the English of the service's own operations. */
  readonly why: string | null;
  readonly issues: readonly FieldIssue[];

  constructor(code: RefusalCode, { why = null, issues = [], ...options }: RefusalOptions = {}) {
    super(why ?? REFUSALS[code].en, options);
    this.code = code;
    this.why = why;
    this.issues = issues;
  }

  get status(): number {
    return REFUSALS[this.code].status;
  }
}
