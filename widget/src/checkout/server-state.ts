import type { PatientOrder } from "bff/contract/orders";
import type { WidgetSession } from "bff/contract/widget-tokens";
import type { Answer } from "../api/problem.ts";
import type { SessionCredentials } from "../api/spot-path.ts";

/**
 * The server's state of one visit. It comes with the page, and is read again only when a step requires it. So it is
 * state of the page instead of a query, and the first screen works without the code for queries.
 */
export interface ServerState {
  readonly token: string;
  readonly session: WidgetSession;
  /** Null for a visit without an order. */
  readonly order: PatientOrder | null;
}

/** How the server's state is read; the code for it is loaded when it is first needed. */
export interface ServerReads {
  readonly readSession: (token: string) => Promise<Answer<WidgetSession>>;
  readonly readOrder: (credentials: SessionCredentials, orderToken: string) => Promise<Answer<PatientOrder>>;
}

export function credentialsOf(session: WidgetSession): SessionCredentials {
  return { clientId: session.client_id, publicKey: session.public_key };
}
