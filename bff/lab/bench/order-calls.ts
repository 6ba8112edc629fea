import { randomUUID } from "node:crypto";
import { type CheckoutCall, PATIENT, payOneOrder } from "./checkout-calls.ts";
import { countingRuts } from "./counting-ruts.ts";
import { type LoadConnection, requestText } from "./load.ts";
import type { Service } from "./servers.ts";

/** Creates an order under a new key. The bare Express looks up its caller only if a credential is sent. */
export async function postOrder(connection: LoadConnection | undefined, credential: string | undefined): Promise<void> {
  const reference = randomUUID();
  const headers = {
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    "idempotency-key": reference,
  };
  const customer = { ...PATIENT, rut: "40.100.000-3" };
  const answer = await connection?.send(
    requestText("POST", "/orders", { headers, body: { reference, total_amount: 45_952, customer } }),
  );
  if (answer?.status !== 201) throw new Error(`POST /orders answered ${answer?.status} ${answer?.body.toString()}.`);
}

const nextRut = countingRuts();

/** Connections of one client to the order API, the Spot API and the widget host. */
type BuyerConnections = readonly LoadConnection[];

/** Pays an order by the calls of its clinic, its patient's widget and the widget host. */
export async function buy(service: Service, connections: BuyerConnections): Promise<void> {
  await payOneOrder(service, nextRut(), (call) => sendBuyersCall(connections, call));
}

/** Sends one of these calls and returns its answer's body. */
export async function sendBuyersCall(
  [order, spot, widget]: BuyerConnections,
  { route, face, path, headers = {}, body, expected }: CheckoutCall,
): Promise<string> {
  const method = route.split(" ")[0] ?? "GET";
  const sent = { ...headers, ...(face === "widget" ? { "accept-encoding": "br" } : {}) };
  const answer = await { order, spot, widget }[face]?.send(requestText(method, path, { headers: sent, body }));
  if (answer?.status === expected) return answer.body.toString();
  throw new Error(`${route} answered ${answer?.status}: ${answer?.body.toString()}`);
}
