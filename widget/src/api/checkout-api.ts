import type { Agreement } from "bff/contract/agreement";
import type {
  RegisterPatientRequest,
  RegisterPatientResponse,
  StartRecoveryRequest,
  StartRecoveryResponse,
  VerifyRecoveryRequest,
} from "bff/contract/onboarding";
import type { OrderDocument, OrderFile } from "bff/contract/order-files";
import type {
  AddPaymentMethodRequest,
  OpenCardPageRequest,
  OpenCardPageResponse,
  PatientOrder,
  PayOrderRequest,
  PayOrderResponse,
  StartRecognitionRequest,
  StartRecognitionResponse,
  ValidateIdentityRequest,
  VerifyRecognitionRequest,
  VerifyRecognitionResponse,
} from "bff/contract/orders";
import type { SendDataLinkRequest } from "bff/contract/patient-rights";
import type { Locale, ReportShownRequest, WidgetSession } from "bff/contract/widget-tokens";
import { answers } from "./answers.ts";
import { createGiveInsurerAccess, type GiveInsurerAccess } from "./give-access.ts";
import type { Answer } from "./problem.ts";
import { type AnswerReader, type RequestOptions, request, type Transport } from "./request.ts";
import { type SessionCredentials, spotPath } from "./spot-path.ts";

/** The calls of the checkout, same-origin through the widget host. None of them throws. */
export interface CheckoutApi {
  readSession(widgetToken: string): Promise<Answer<WidgetSession>>;
  readOrder(credentials: SessionCredentials, hash: string): Promise<Answer<PatientOrder>>;
  /** Reports the content shown to the patient. Waits only briefly for an answer, because other calls wait for it. */
  reportShown(publicKey: string, body: ReportShownRequest): Promise<Answer<unknown>>;
  readAgreement(credentials: SessionCredentials, hash: string, locale: Locale): Promise<Answer<Agreement>>;
  /** Makes a file of an order, by its public credential alone. */
  makeFile(clientId: string, hash: string, document: OrderDocument, locale: Locale): Promise<Answer<OrderFile>>;
  registerPatient(
    credentials: SessionCredentials,
    body: RegisterPatientRequest,
  ): Promise<Answer<RegisterPatientResponse>>;
  startRecovery(credentials: SessionCredentials, body: StartRecoveryRequest): Promise<Answer<StartRecoveryResponse>>;
  verifyRecovery(
    credentials: SessionCredentials,
    body: VerifyRecoveryRequest,
  ): Promise<Answer<RegisterPatientResponse>>;
  /** Sends the patient of a RUT the link to their data. The answer is the same for every RUT. */
  sendDataLink(credentials: SessionCredentials, body: SendDataLinkRequest): Promise<Answer<null>>;
  validateIdentity(
    credentials: SessionCredentials,
    hash: string,
    body: ValidateIdentityRequest,
    idempotencyKey: string,
  ): Promise<Answer<PatientOrder>>;
  /** Sends a code to the order's patient, if they are known. The answer is the same for every order. */
  startRecognition(
    credentials: SessionCredentials,
    hash: string,
    body: StartRecognitionRequest,
  ): Promise<Answer<StartRecognitionResponse>>;
  verifyRecognition(
    credentials: SessionCredentials,
    hash: string,
    body: VerifyRecognitionRequest,
  ): Promise<Answer<VerifyRecognitionResponse>>;
  /** Removes a recognition and its results from the order: the patient is another person. */
  disownRecognition(credentials: SessionCredentials, hash: string): Promise<Answer<PatientOrder>>;
  /** Used at the end of a checkout that has paid. */
  readonly giveInsurerAccess: GiveInsurerAccess;
  addCard(credentials: SessionCredentials, hash: string, body: AddPaymentMethodRequest): Promise<Answer<PatientOrder>>;
  /** Opens the card processor's page, or returns its outcome. */
  openCardPage(
    credentials: SessionCredentials,
    hash: string,
    body: OpenCardPageRequest,
  ): Promise<Answer<OpenCardPageResponse>>;
  pay(
    credentials: SessionCredentials,
    hash: string,
    body: PayOrderRequest,
    idempotencyKey: string,
  ): Promise<Answer<PayOrderResponse>>;
}

const REPORT_TIMEOUT_MS = 4_000;

function orderPath(hash: string, step = ""): string {
  return `/orders/${encodeURIComponent(hash)}${step}`;
}

export function createCheckoutApi(transport: Transport): CheckoutApi {
  const call = <Value>(options: RequestOptions, reader: AnswerReader<Value>): Promise<Answer<Value>> =>
    request(transport, options, reader);

  return {
    readSession: (widgetToken) =>
      call({ method: "GET", path: `/api/spot/widget/${encodeURIComponent(widgetToken)}` }, answers.session),
    readOrder: ({ clientId }, hash) => call({ method: "GET", path: orderPath(hash), bearer: clientId }, answers.order),
    reportShown: (publicKey, body) =>
      request(
        { ...transport, timeoutMs: REPORT_TIMEOUT_MS },
        { method: "POST", path: spotPath("widget/shown", { publicKey }), body },
        answers.shown,
      ),
    readAgreement: ({ clientId }, hash, locale) =>
      call(
        { method: "GET", path: orderPath(hash, `/agreement?locale=${locale}`), bearer: clientId },
        answers.agreement,
      ),
    makeFile: (clientId, hash, document, locale) =>
      call(
        { method: "GET", path: orderPath(hash, `/${document}/file?locale=${locale}`), bearer: clientId },
        answers.file,
      ),
    registerPatient: (credentials, body) =>
      call({ method: "POST", path: spotPath("user", credentials), body, afterReports: true }, answers.registered),
    startRecovery: (credentials, body) =>
      call({ method: "POST", path: spotPath("user/recovery", credentials), body }, answers.recoveryStarted),
    verifyRecovery: (credentials, body) =>
      call(
        { method: "POST", path: spotPath("user/recovery/verify", credentials), body, afterReports: true },
        answers.registered,
      ),
    sendDataLink: (credentials, body) =>
      call({ method: "POST", path: spotPath("patient/data_link", credentials), body }, answers.accepted),
    validateIdentity: async ({ clientId }, hash, body, idempotencyKey) => {
      const path = orderPath(hash, "/validate_customer_identity");
      return orderOf(await call({ method: "POST", path, bearer: clientId, body, idempotencyKey }, answers.identity));
    },
    startRecognition: ({ clientId }, hash, body) =>
      call(
        { method: "POST", path: orderPath(hash, "/recognition"), bearer: clientId, body },
        answers.recognitionStarted,
      ),
    verifyRecognition: ({ clientId }, hash, body) =>
      call(
        { method: "POST", path: orderPath(hash, "/recognition/verify"), bearer: clientId, body, afterReports: true },
        answers.recognised,
      ),
    disownRecognition: async ({ clientId }, hash) => {
      const path = orderPath(hash, "/recognition/disown");
      return orderOf(await call({ method: "POST", path, bearer: clientId, body: {} }, answers.disowned));
    },
    giveInsurerAccess: createGiveInsurerAccess(transport),
    openCardPage: ({ clientId }, hash, body) =>
      call(
        { method: "POST", path: orderPath(hash, "/card_page"), bearer: clientId, body, afterReports: true },
        answers.cardPage,
      ),
    addCard: async ({ clientId }, hash, body) => {
      const path = orderPath(hash, "/add_payment_method");
      return orderOf(await call({ method: "POST", path, bearer: clientId, body, afterReports: true }, answers.card));
    },
    pay: ({ clientId }, hash, body, idempotencyKey) =>
      call(
        {
          method: "POST",
          path: orderPath(hash, "/payment"),
          bearer: clientId,
          body,
          idempotencyKey,
          afterReports: true,
        },
        answers.payment,
      ),
  };
}

function orderOf(answer: Answer<{ readonly order: PatientOrder }>): Answer<PatientOrder> {
  return answer.ok ? { ok: true, value: answer.value.order } : answer;
}
