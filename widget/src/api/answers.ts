import { agreementSchema } from "bff/contract/agreement";
import { errorBodySchema, isErrorCode, orderNotFoundBodySchema } from "bff/contract/errors";
import { registerPatientResponseSchema, startRecoveryResponseSchema } from "bff/contract/onboarding";
import { orderFileSchema } from "bff/contract/order-files";
import {
  addPaymentMethodResponseSchema,
  disownRecognitionResponseSchema,
  openCardPageResponseSchema,
  patientOrderSchema,
  payOrderResponseSchema,
  startRecognitionResponseSchema,
  validateIdentityResponseSchema,
  verifyRecognitionResponseSchema,
} from "bff/contract/orders";
import { EXPIRY_WARNING_MINUTES } from "bff/contract/terms";
import { reportShownResponseSchema, widgetSessionSchema } from "bff/contract/widget-tokens";
import type * as z from "zod/mini";
import type { Problem } from "./problem.ts";
import type { AnswerReader } from "./request.ts";

function readProblem(body: unknown, status: number, traceId: string | null): Problem | null {
  const plain = errorBodySchema.safeParse(body);
  if (plain.success) {
    const { detail: _detail, code, request_id, ...additions } = plain.data;
    return isErrorCode(code) ? { kind: "refused", code, status, additions, traceId: request_id ?? traceId } : null;
  }
  const notFound = orderNotFoundBodySchema.safeParse(body);
  if (!notFound.success || !isErrorCode(notFound.data.code)) return null;
  return {
    kind: "refused",
    code: notFound.data.code,
    status,
    additions: {},
    traceId: notFound.data.request_id ?? traceId,
  };
}

/** A reader that parses a success by a schema of the contract, and a refusal by its error bodies. */
export function readerOf<Schema extends z.ZodMiniType>(schema: Schema): AnswerReader<z.output<Schema>> {
  return { readSuccess: (body) => schema.parse(body), readProblem };
}

/**
 * Parses every answer that the checkout reads with the contract's schemas. This file imports the schema library, so it
 * is loaded while the patient reads the first screen.
 */
export const answers = {
  session: readerOf(widgetSessionSchema),
  shown: readerOf(reportShownResponseSchema),
  order: readerOf(patientOrderSchema),
  agreement: readerOf(agreementSchema),
  file: readerOf(orderFileSchema),
  registered: readerOf(registerPatientResponseSchema),
  recoveryStarted: readerOf(startRecoveryResponseSchema),
  identity: readerOf(validateIdentityResponseSchema),
  card: readerOf(addPaymentMethodResponseSchema),
  cardPage: readerOf(openCardPageResponseSchema),
  recognitionStarted: readerOf(startRecognitionResponseSchema),
  recognised: readerOf(verifyRecognitionResponseSchema),
  disowned: readerOf(disownRecognitionResponseSchema),
  payment: readerOf(payOrderResponseSchema),
  /** Such an answer only says that the request was accepted. */
  accepted: { readSuccess: () => null, readProblem },
};

export const EXPIRY_WARNING_MS = EXPIRY_WARNING_MINUTES * 60_000;
