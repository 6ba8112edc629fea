import type { Endpoint } from "../contract/endpoint.ts";
import { operationsEndpoints } from "../contract/operations-endpoints.ts";
import { orderEndpoints } from "../contract/order-endpoints.ts";
import { sandboxEndpoints } from "../contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { webhookEndpoints } from "../contract/webhook-endpoints.ts";
import type { Environment } from "../platform/provider.ts";

/** Endpoints that are documented together and share one base address. */
export interface EndpointGroup {
  readonly title: string;
  readonly description: string;
  readonly face: "order" | "spot";
  /** The only environment that has these endpoints; if left out, all environments have them. */
  readonly environment?: Environment;
  /** By operation id. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

/** The path of the patients' own links. */
const PATIENT_PATH = "/api/spot/patient/";

/** The groups of the document, in its order. */
export const endpointGroups: readonly EndpointGroup[] = [
  {
    title: "Orders",
    description: "Create an order, follow it, refund it. Called from your back end.",
    face: "order",
    endpoints: byCaller(orderEndpoints, "partner"),
  },
  {
    title: "Tokens and expenses",
    description: "Mint widget tokens, submit receipts, look patients up. Called from your back end.",
    face: "spot",
    endpoints: byCaller(spotEndpoints, "partner"),
  },
  {
    title: "Webhook endpoints",
    description:
      "Where you receive events, what was sent there, and what you have missed. Called with your `secret_key`.",
    face: "spot",
    endpoints: webhookEndpoints,
  },
  {
    title: "Payouts and reconciliation",
    description:
      "What you were paid and are owed, order by order; and your orders, the ledger and the outside parties' own lists, compared line by line. Called with your `secret_key`.",
    face: "spot",
    endpoints: operationsEndpoints,
  },
  {
    title: "Payment steps",
    description: "What the widget calls on the patient's way. You need not call it; it is here so that you can see it.",
    face: "order",
    endpoints: byCaller(orderEndpoints, "widget"),
  },
  {
    title: "Sign-up steps",
    description: "What the widget calls to sign a patient up. You need not call it.",
    face: "spot",
    endpoints: under(byCaller(spotEndpoints, "widget"), PATIENT_PATH, false),
  },
  {
    title: "The patient's own links",
    description:
      "What the pages call that patients open by a link in their mail: give access again, change the card, pay early, see and export their data, withdraw, have it erased. Each asks for a one-time code, but for `data_link`, and `insurer_access` at the end of a checkout. You need not call it, but may have a patient sent the link to their data (`data_link`), as the widget does.",
    face: "spot",
    endpoints: under(byCaller(spotEndpoints, "widget"), PATIENT_PATH, true),
  },
  {
    title: "Sandbox",
    description:
      "In staging only: magic values, tenants for test workers, a clock that can be moved, and outside parties that fail when they are told to. In production these addresses do not exist.",
    face: "order",
    environment: "staging",
    endpoints: sandboxEndpoints,
  },
];

/** The groups that exist in an environment. */
export function groupsIn(environment: Environment, groups: readonly EndpointGroup[] = endpointGroups): EndpointGroup[] {
  return groups.filter((group) => group.environment === undefined || group.environment === environment);
}

/** Every documented endpoint with its operation id. */
export function documentedEndpoints(groups: readonly EndpointGroup[] = endpointGroups): [string, Endpoint][] {
  return groups.flatMap(({ endpoints }) => Object.entries(endpoints));
}

function byCaller(endpoints: Readonly<Record<string, Endpoint>>, caller: Endpoint["caller"]): Record<string, Endpoint> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, endpoint]) => endpoint.caller === caller));
}

function under(
  endpoints: Readonly<Record<string, Endpoint>>,
  path: string,
  isUnder: boolean,
): Record<string, Endpoint> {
  return Object.fromEntries(
    Object.entries(endpoints).filter(([, endpoint]) => endpoint.path.startsWith(path) === isUnder),
  );
}
