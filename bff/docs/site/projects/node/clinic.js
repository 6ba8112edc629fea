import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AapdError, createPartnerClient, verifyWebhook, WebhookSignatureMismatch } from "@aapd/server";

/* Your clinic: its sales, their checkouts, webhooks and receipts. */

const { ORDER_API, SPOT_API, CLIENT_SECRET, PUBLIC_KEY, WEBHOOK_SECRET } = process.env;
const aapd = createPartnerClient({
  orderApiUrl: ORDER_API,
  spotApiUrl: SPOT_API,
  clientSecret: CLIENT_SECRET,
  publicKey: PUBLIC_KEY,
});

// Use your database instead. It is global because a development server may load this file more than once.
globalThis.sales ??= new Map();
const sales = globalThis.sales;

/** Opens a sale for a patient. Your own program knows who the patient is. */
export function openSale(rut) {
  const id = randomUUID();
  sales.set(id, { rut, status: "pending", receipt: null });
  return { id };
}

export function readSale(id) {
  const { status, receipt } = saleOf(id);
  return { status, receipt };
}

/** The address of the sale's checkout. Each call mints a fresh one; the order is created once, by the sale's id. */
export async function startCheckout(id) {
  const { rut } = saleOf(id);
  const customer = {
    rut,
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email: "camila@example.com",
    phone_number: "+56912345678",
  };
  const order = await aapd.createOrder({ reference: id, total_amount: 45_952, customer }, { idempotencyKey: id });
  const { url } = await aapd.mintWidgetToken({ order_token: order.hash, rut });
  return { url };
}

/**
 * Verifies a webhook by its raw bytes. After `order.paid` it submits the receipt. If that fails, it throws, and the
 * service sends the webhook again. A repeated event changes nothing: an order has one receipt.
 */
export async function receiveWebhook(rawBody, headers) {
  const event = verifyWebhook(rawBody, headers, WEBHOOK_SECRET);
  const sale = sales.get(event?.reference);
  if (event?.event !== "order.paid" || sale === undefined) return;
  const bytes = new Uint8Array(await readFile("boleta.pdf"));
  const files = [{ name: "boleta.pdf", type: "application/pdf", bytes }];
  const { status } = await aapd.submitExpense({ rut: sale.rut, orderHash: event.order_hash, files });
  sales.set(event.reference, { ...sale, status: "paid", receipt: status });
}

function saleOf(id) {
  const sale = sales.get(id);
  if (sale === undefined) throw new NoSuchSale(id);
  return sale;
}

class NoSuchSale extends Error {}

/** The status with which your back end answers an error. */
export function statusOf(error) {
  if (error instanceof WebhookSignatureMismatch) return 401;
  if (error instanceof NoSuchSale) return 404;
  return error instanceof AapdError && error.code === "validation_error" ? 422 : 500;
}
