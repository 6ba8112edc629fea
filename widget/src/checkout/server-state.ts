import { queryOptions } from "@tanstack/react-query";
import type { PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";
import type { CheckoutApi } from "../api/checkout-api.ts";
import { type Answer, valueOrThrow } from "../api/problem.ts";
import type { SessionCredentials } from "../api/spot-path.ts";

/** How the server's state is read; the code for it is loaded when it is first needed. */
export interface ServerReads {
  readonly readSession: (token: string) => Promise<Answer<WidgetSession>>;
  readonly readOrder: (credentials: SessionCredentials, orderToken: string) => Promise<Answer<PatientOrder>>;
}

/**
 * The texts of the agreement, with the figures of the session's quote. Other figures or versions are fetched again.
 */
export function agreementQuery({ readAgreement }: Pick<CheckoutApi, "readAgreement">, session: WidgetSession) {
  const { order_token, quote, locale } = session;
  return queryOptions({
    queryKey: ["agreement", order_token, quote?.sha256],
    queryFn: async () => valueOrThrow(await readAgreement(credentialsOf(session), order_token ?? "", locale)),
    // The screen shows the failure, and the patient opens the text again.
    retry: false,
  });
}

export function credentialsOf(session: WidgetSession): SessionCredentials {
  return { clientId: session.client_id, publicKey: session.public_key };
}

/**
 * The session of a widget token. The page brings the first one. It is fetched for a fresh token, and when its consent
 * texts or sealing keys are outdated. Failures are not retried: the known session stays.
 */
export function sessionQuery({ readSession }: Pick<ServerReads, "readSession">, token: string) {
  return queryOptions({
    queryKey: ["session", token],
    queryFn: async () => valueOrThrow(await readSession(token)),
    retry: false,
  });
}

/**
 * The order of a session; null for a visit without one. It comes with the page, and the steps' answers replace it. A
 * payment whose answer was lost fetches it and retries by its own rule (`payment-run.ts`), so it is not retried here.
 */
export function orderQuery({ readOrder }: Pick<ServerReads, "readOrder">, session: WidgetSession) {
  const { order_token } = session;
  return queryOptions<PatientOrder | null>({
    queryKey: ["order", order_token],
    queryFn: async () =>
      order_token === null ? null : valueOrThrow(await readOrder(credentialsOf(session), order_token)),
    retry: false,
  });
}
