import { type ObjectToEmailChangeRequest, objectToEmailChangeResponseSchema } from "bff/contract/onboarding";
import type { OrderFile } from "bff/contract/order-files";
import {
  type EraseDataRequest,
  type EraseDataResponse,
  eraseDataResponseSchema,
  type MakeRightsRequest,
  type MakeRightsRequestResponse,
  makeRightsRequestResponseSchema,
  type PatientData,
  type PrintOwnAgreementRequest,
  patientDataSchema,
  type ReadPatientDataRequest,
  type RemoveSavedCardRequest,
  removeSavedCardResponseSchema,
  type SendDataLinkRequest,
  sendDataLinkResponseSchema,
  type WithdrawConsentRequest,
  type WithdrawConsentResponse,
  withdrawConsentResponseSchema,
} from "bff/contract/patient-rights";
import {
  type MakePaymentFileRequest,
  type PaymentPage,
  paymentPageSchema,
  type ReadPaymentRequest,
} from "bff/contract/payment-page";
import {
  type AnswerLinkCodeRequest,
  type AnswerLinkCodeResponse,
  answerLinkCodeResponseSchema,
  type ChangeCardRequest,
  type ChangeCardResponse,
  changeCardResponseSchema,
  type OpenLinkCardPageRequest,
  type OpenLinkCardPageResponse,
  openLinkCardPageResponseSchema,
  type PayEarlyRequest,
  type PayEarlyResponse,
  payEarlyResponseSchema,
  type SendLinkCodeRequest,
  type SendLinkCodeResponse,
  sendLinkCodeResponseSchema,
} from "bff/contract/self-service-links";
import { answers, readerOf } from "./answers.ts";
import { createGiveInsurerAccess, type GiveInsurerAccess } from "./give-access.ts";
import type { Answer } from "./problem.ts";
import { type AnswerReader, request, type Transport } from "./request.ts";
import { spotPath } from "./spot-path.ts";

/**
 * The calls of the self-service pages. They are separate from the checkout's calls, so that the checkout does not load
 * their schemas. None of them throws.
 */
export interface SelfServiceApi {
  /** Undoes a change of e-mail, by the link that was sent to the old address. */
  objectToEmailChange(publicKey: string, body: ObjectToEmailChangeRequest): Promise<Answer<unknown>>;
  /** Sends the one-time code that a link requires. */
  sendCode(publicKey: string, body: SendLinkCodeRequest): Promise<Answer<SendLinkCodeResponse>>;
  answerCode(publicKey: string, body: AnswerLinkCodeRequest): Promise<Answer<AnswerLinkCodeResponse>>;
  readonly giveInsurerAccess: GiveInsurerAccess;
  changeCard(publicKey: string, body: ChangeCardRequest): Promise<Answer<ChangeCardResponse>>;
  openCardPage(publicKey: string, body: OpenLinkCardPageRequest): Promise<Answer<OpenLinkCardPageResponse>>;
  payEarly(publicKey: string, body: PayEarlyRequest): Promise<Answer<PayEarlyResponse>>;
  readPayment(publicKey: string, body: ReadPaymentRequest): Promise<Answer<PaymentPage>>;
  makePaymentFile(publicKey: string, body: MakePaymentFileRequest): Promise<Answer<OrderFile>>;
  /** Mails the patient a link to their data. */
  sendDataLink(publicKey: string, body: SendDataLinkRequest): Promise<Answer<unknown>>;
  readData(publicKey: string, body: ReadPatientDataRequest): Promise<Answer<PatientData>>;
  printAgreement(publicKey: string, body: PrintOwnAgreementRequest): Promise<Answer<OrderFile>>;
  withdrawConsent(publicKey: string, body: WithdrawConsentRequest): Promise<Answer<WithdrawConsentResponse>>;
  removeCard(publicKey: string, body: RemoveSavedCardRequest): Promise<Answer<unknown>>;
  makeRequest(publicKey: string, body: MakeRightsRequest): Promise<Answer<MakeRightsRequestResponse>>;
  eraseData(publicKey: string, body: EraseDataRequest): Promise<Answer<EraseDataResponse>>;
}

export function createSelfServiceApi(transport: Transport): SelfServiceApi {
  const post =
    <Body, Value>(path: string, reader: AnswerReader<Value>) =>
    (publicKey: string, body: Body): Promise<Answer<Value>> =>
      request(transport, { method: "POST", path: spotPath(path, { publicKey }), body }, reader);
  return {
    objectToEmailChange: post("user/recovery/objection", readerOf(objectToEmailChangeResponseSchema)),
    sendCode: post("patient/code", readerOf(sendLinkCodeResponseSchema)),
    answerCode: post("patient/code/verify", readerOf(answerLinkCodeResponseSchema)),
    giveInsurerAccess: createGiveInsurerAccess(transport),
    changeCard: post("patient/card", readerOf(changeCardResponseSchema)),
    openCardPage: post("patient/card_page", readerOf(openLinkCardPageResponseSchema)),
    payEarly: post("patient/early_payment", readerOf(payEarlyResponseSchema)),
    readPayment: post("patient/payment", readerOf(paymentPageSchema)),
    makePaymentFile: post("patient/payment/file", answers.file),
    sendDataLink: post("patient/data_link", readerOf(sendDataLinkResponseSchema)),
    readData: post("patient/data", readerOf(patientDataSchema)),
    printAgreement: post("patient/agreement", answers.file),
    withdrawConsent: post("patient/consents/withdraw", readerOf(withdrawConsentResponseSchema)),
    removeCard: post("patient/saved_cards/remove", readerOf(removeSavedCardResponseSchema)),
    makeRequest: post("patient/requests", readerOf(makeRightsRequestResponseSchema)),
    eraseData: post("patient/erasure", readerOf(eraseDataResponseSchema)),
  };
}
