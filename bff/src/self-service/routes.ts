import {
  boundToken,
  boundTokenFor,
  type OpenedWidgetToken,
  type OpenWidgetTokenDependencies,
  perToken,
} from "../checkout/open-widget-token.ts";
import type { CollectionRequestDependencies } from "../collection/dependencies.ts";
import { spotEndpoints } from "../contract/spot-endpoints.ts";
import type { DocumentDependencies } from "../orders/order-documents.ts";
import { openReference } from "../orders/redirect.ts";
import { hasOwnPatients } from "../patients/beneficiary.ts";
import { NO_COLUMN } from "../platform/database/read-column.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { networkOf, perNetwork } from "../platform/http/network.ts";
import { userAgentOf } from "../platform/http/request-context.ts";
import { defineRoute, loading, NOTHING_NAMED, type Route } from "../platform/http/route.ts";
import { leaveTurn } from "../platform/http/turns.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Environment } from "../platform/provider.ts";
import { type EraseDependencies, eraseData, erasureOf } from "./erase-data.ts";
import { answerCode, requireOpenLink } from "./links/answer-code.ts";
import { giveInsurerAccess } from "./links/give-insurer-access.ts";
import { CODED_PURPOSES, type LinkPatient } from "./links/opened-link.ts";
import { changeCardByLink, changeCardOnPageByLink, payEarlyByLink } from "./links/pay-rest.ts";
import { type SendCodeDependencies, sendCode } from "./links/send-code.ts";
import { requireSettledAddress } from "./my-data/lock-patient.ts";
import { makeRequest } from "./my-data/make-request.ts";
import { printOwnAgreement } from "./my-data/print-own-agreement.ts";
import { removeOwnCard } from "./my-data/remove-own-card.ts";
import { type OpenReturnDependencies, type ReadReturnDependencies, readReturn } from "./open-return.ts";
import { makePaymentFile, readPayment } from "./payment-page/read-payment.ts";
import { type RightsAct, seeData } from "./see-data.ts";
import { type SendDataLinkDependencies, sendDataLink } from "./send-link.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

/** The patients' actions through the links that the service sends them: pay, change the card, add insurer access. */

/** An open page polls every three seconds for a minute, then every fifteen. */
const INQUIRIES_PER_HOUR = 400;

interface SelfServiceLinkRoutesDependencies
  extends OpenWidgetTokenDependencies,
    CollectionRequestDependencies,
    SendCodeDependencies {
  readonly keyring: Pick<Keyring, "hmac" | "seal" | "matches">;
}

/** Routes for the links that the service sends to patients. */
export function selfServiceLinkRoutes(dependencies: SelfServiceLinkRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.sendLinkCode, {
      load: boundTokenFor(CODED_PURPOSES),
      limits: ({ ip }) => [perNetwork("link_code.address", ip, 120)],
      async handle({ resource }) {
        return { status: 202, body: await sendCode(dependencies, boundToken(resource)) };
      },
    }),
    defineRoute(spotEndpoints.answerLinkCode, {
      load: boundTokenFor(CODED_PURPOSES),
      limits: ({ ip, body }) => [perNetwork("link_code.tries_address", ip, 600), perToken("link_code.tries", body, 60)],
      async handle({ resource, body }) {
        return { status: 200, body: await answerCode(dependencies, boundToken(resource), body.code) };
      },
    }),
    defineRoute(spotEndpoints.giveInsurerAccess, {
      load: boundTokenFor(["insurer_access", "payment", "checkout"]),
      limits: ({ body }) => [perToken("link.insurer_access", body, 20)],
      async handle({ resource, body, ip, request }) {
        const userAgent = userAgentOf(request);
        await giveInsurerAccess(dependencies, { opened: boundToken(resource), body, ip, userAgent });
        return { status: 200, body: { status: "given" } };
      },
    }),
    defineRoute(spotEndpoints.changeCard, {
      load: boundTokenFor(["card_change", "payment"]),
      // An inquiry changes nothing.
      limits: ({ body }) => [
        body.inquire ? perToken("link.card_inquiry", body, INQUIRIES_PER_HOUR) : perToken("link.card", body, 10),
      ],
      async handle({ resource, body: { access, sealed_card: sealedCard, shown = null } }) {
        const body = await changeCardByLink(dependencies, boundToken(resource), { access, sealedCard, shown });
        return { status: 200, body };
      },
    }),
    defineRoute(spotEndpoints.openLinkCardPage, {
      load: boundTokenFor(["card_change", "payment"]),
      limits: ({ body }) => [
        body.inquire ? perToken("link.card_inquiry", body, INQUIRIES_PER_HOUR) : perToken("link.card", body, 10),
      ],
      async handle({ resource, body: { access, inquire, shown = null } }) {
        const requested = { access, inquire, shown };
        return { status: 200, body: await changeCardOnPageByLink(dependencies, boundToken(resource), requested) };
      },
    }),
    defineRoute(spotEndpoints.payEarly, {
      load: boundTokenFor(["pay_early", "payment"]),
      // These limits protect the page; how often a card is charged is limited by the order's declined charges. An
      // inquiry charges nothing.
      limits: ({ body }) => [
        body.inquire
          ? perToken("link.early_inquiry", body, INQUIRIES_PER_HOUR)
          : perToken("link.early_payment", body, 10),
      ],
      async handle({ resource, body }) {
        return { status: 200, body: await payEarlyByLink(dependencies, boundToken(resource), body) };
      },
    }),
  ];
}

/**
 * Patients' rights over their own data: see it, withdraw consents, have it erased, and request a person's answer. Such
 * a request is to correct data, stop or block a use of it, or review a refused credit.
 */

interface PatientRightsRoutesDependencies
  extends OpenWidgetTokenDependencies,
    EraseDependencies,
    SendDataLinkDependencies {
  readonly environment: Environment;
  readonly takesInsurerAccess: boolean;
  readonly printing: DocumentDependencies;
  /** Waits for this many milliseconds of real time. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * The minimum duration of a request for a link. Sending a link takes longer than finding no patient, so without it the
 * duration would show who is registered.
 */
export const DATA_LINK_ANSWERED_AFTER_MS = 150;

/** Routes for patients' rights over their own data. */
export function myDataRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [
    dataLinkRoute(dependencies),
    ...paymentRoutes(dependencies),
    ...seeingRoutes(dependencies),
    ...changingRoutes(dependencies),
  ];
}

function dataLinkRoute(dependencies: PatientRightsRoutesDependencies): Route {
  const isPerProvider = hasOwnPatients(dependencies.environment);
  return defineRoute(spotEndpoints.sendDataLink, {
    limits: ({ body, ip }) => [
      // By network as well: the mailbox has separate limits (`rights.ts`), and a stranger must not lock a patient out.
      {
        name: "data_link.rut",
        key: `${body.rut} ${networkOf(ip)}`,
        isPerProvider,
        requestsMax: 10,
        windowSeconds: 3_600,
      },
      perNetwork("data_link.address", ip, 120),
    ],
    async handle({ principal: { provider }, query, body, now }) {
      const requested = { provider, publicKey: query.public_key, rut: body.rut, actor: "patient", now };
      // Waiting occupies no turn.
      leaveTurn();
      await Promise.all([sendDataLink(dependencies, requested), dependencies.pause(DATA_LINK_ANSWERED_AFTER_MS)]);
      return { status: 202, body: { status: "accepted" } };
    },
  });
}

function paymentRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.readPayment, {
      load: boundTokenFor(["payment"]),
      limits: ({ body }) => [perToken("patient_payment.read", body, 120)],
      async handle({ resource, body }) {
        const opened = boundToken(resource);
        await requireSettledLink(dependencies, opened, body.access);
        return { status: 200, body: await readPayment(dependencies, opened) };
      },
    }),
    defineRoute(spotEndpoints.makePaymentFile, {
      load: boundTokenFor(["payment"]),
      limits: ({ body }) => [perToken("patient_payment.file", body, 60)],
      async handle({ resource, body }) {
        const opened = boundToken(resource);
        await requireSettledLink(dependencies, opened, body.access);
        return { status: 200, body: await makePaymentFile(dependencies.printing, opened, body) };
      },
    }),
  ];
}

const load = boundTokenFor(["my_data"]);

function seeingRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.readPatientData, {
      load,
      limits: ({ body }) => [perToken("patient_data.read", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await seeData(dependencies, act) };
      },
    }),
    defineRoute(spotEndpoints.printOwnAgreement, {
      load: boundTokenFor(["my_data", "payment"]),
      limits: ({ body }) => [perToken("patient_data.agreement", body, 60)],
      async handle({ resource, body }) {
        const opened = boundToken(resource);
        if (opened.token.purpose === "payment") {
          await requireSettledLink(dependencies, opened, body.access);
          if (opened.order?.orderId !== body.order_token) throw new ApiError("order_not_found");
          const wanted = { document: "agreement", locale: "es-CL" } as const;
          return { status: 200, body: await makePaymentFile(dependencies.printing, opened, wanted) };
        }
        const act = await actOf(dependencies, opened, body.access);
        return { status: 200, body: await printOwnAgreement(dependencies, act, body.order_token) };
      },
    }),
  ];
}

function changingRoutes(dependencies: PatientRightsRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.withdrawConsent, {
      load,
      limits: ({ body }) => [perToken("patient_data.withdraw", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await withdrawConsent(dependencies, act, body.purpose) };
      },
    }),
    defineRoute(spotEndpoints.makeRightsRequest, {
      load,
      limits: ({ body }) => [perToken("patient_data.request", body, 20)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await makeRequest(dependencies, act, body.request) };
      },
    }),
    defineRoute(spotEndpoints.removeSavedCard, {
      load,
      limits: ({ body }) => [perToken("patient_data.remove_card", body, 60)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        await removeOwnCard(dependencies, act, body.saved_card);
        return { status: 200, body: { status: "removed" } };
      },
    }),
    defineRoute(spotEndpoints.eraseData, {
      load,
      limits: ({ body }) => [perToken("patient_data.erase", body, 20)],
      async handle({ resource, body }) {
        const act = await actOf(dependencies, boundToken(resource), body.access);
        return { status: 200, body: await eraseData(dependencies, act) };
      },
    }),
  ];
}

/**
 * The patient of a link whose code was answered. Throws 400 `patient_code_required`, 409 `email_change_unsettled`, the
 * 410s.
 */
async function actOf(
  dependencies: PatientRightsRoutesDependencies,
  opened: OpenedWidgetToken,
  access: string,
): Promise<RightsAct> {
  const { beneficiary } = await requireSettledLink(dependencies, opened, access, erasureOf);
  if (beneficiary === null) throw new ApiError("widget_token_not_found");
  return { patient: beneficiary, providerId: opened.provider.id, actor: "patient", now: opened.now };
}

/**
 * Requires the answered code of a link, and that the time to object to a change of its address is over.
 * Throws 400 `patient_code_required`, 409 `email_change_unsettled`, the 410s.
 */
async function requireSettledLink(
  dependencies: PatientRightsRoutesDependencies,
  opened: OpenedWidgetToken,
  access: string,
  statusOfUsed?: Parameters<typeof requireOpenLink>[3],
): Promise<LinkPatient> {
  const patient = await requireOpenLink(dependencies, opened, access, statusOfUsed);
  if (patient.beneficiary !== null) await requireSettledAddress(dependencies.db, patient.beneficiary, opened.now);
  return patient;
}

/**
 * The page to which patients come back from the pages of card issuers and of the card processor.
 */

const READS = { name: "returns.read", requestsMax: INQUIRIES_PER_HOUR, windowSeconds: 3_600 } as const;

/** The route by which the return page reads the state. */
export function redirectRoutes(dependencies: ReadReturnDependencies & OpenReturnDependencies): Route[] {
  const isOurs = (reference: string) => openReference(dependencies.keyring, reference) !== null;
  return [
    defineRoute(spotEndpoints.readReturn, {
      load: ({ params: { reference = "" } }) => (isOurs(reference) ? NOTHING_NAMED : loading(NO_COLUMN, "not_found")),
      limits: ({ params: { reference = "" } }) => [{ ...READS, key: reference }],
      async handle({ params: { reference = "" }, body }) {
        return { status: 200, body: await readReturn(dependencies, reference, body.widget_token) };
      },
    }),
  ];
}
