// @ts-check
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createPartnerClient, createReceiptChecker, verifyWebhook, WebhookSignatureMismatch } from "@aapd/server";

/* The back end of somebody who has begun today: one sale, its checkout, its webhook and its receipt. */

/** @param {string} name */
function variable(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}

const aapd = createPartnerClient({
  orderApiUrl: variable("ORDER_API"),
  spotApiUrl: variable("SPOT_API"),
  clientSecret: variable("CLIENT_SECRET"),
  publicKey: variable("PUBLIC_KEY"),
});
/** @type {Set<string>} */
const shown = new Set();
const checkReceipt = createReceiptChecker({
  orderApiUrl: variable("ORDER_API"),
  providerId: variable("PROVIDER_ID"),
  remember: (jti) => !shown.has(jti) && shown.add(jti).has(jti),
});

const sale = { hash: "", rut: "", webhook: "", receipt: "", expense: "" };
const widgetHost = variable("WIDGET_HOST");

/** @type {Record<string, (body: Buffer, headers: import("node:http").IncomingHttpHeaders) => Promise<unknown>>} */
const routes = {
  "POST /checkout": async (body) => {
    sale.rut = String(JSON.parse(body.toString()).rut);
    const order = await aapd.createOrder({
      reference: `venta-${sale.rut}`,
      total_amount: 45_952,
      customer: {
        rut: sale.rut,
        first_name: "Camila",
        last_name: "Rojas Fuentes",
        email: `camila.${sale.rut.replaceAll(/\D/g, "")}@example.com`,
        phone_number: "+56912345678",
      },
    });
    sale.hash = order.hash;
    return aapd.mintWidgetToken({ order_token: order.hash, rut: sale.rut });
  },
  "POST /webhooks": async (body, headers) => {
    const event = verifyWebhook(body, headers, variable("WEBHOOK_SECRET"));
    if (event?.event !== "order.paid") return {};
    sale.webhook = event.event;
    const bytes = new TextEncoder().encode("%PDF-1.4\n% boleta\n%%EOF\n");
    const files = [{ name: "boleta.pdf", type: /** @type {const} */ ("application/pdf"), bytes }];
    const { status } = await aapd.submitExpense({
      rut: event.data.order.customer.rut,
      orderHash: event.order_hash,
      files,
    });
    sale.expense = status;
    return {};
  },
  "POST /receipt": async (body) => {
    const receipt = await checkReceipt(JSON.parse(body.toString()).signed_receipt, { orderHash: sale.hash });
    sale.receipt = `${receipt.status} ${receipt.amount}`;
    return {};
  },
  "GET /sale": async () => sale,
};

const pages = {
  "/": ["public/index.html", "text/html; charset=utf-8"],
  "/checkout.js": ["public/checkout.js", "text/javascript"],
};
const policy = `default-src 'self'; script-src 'self' ${widgetHost}; frame-src ${widgetHost}; require-trusted-types-for 'script'`;

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const page = Object.hasOwn(pages, path) ? pages[/** @type {keyof typeof pages} */ (path)] : undefined;
  const vendor = /^\/vendor\/([\w/-]+\.js)$/.exec(path)?.[1];
  const route = routes[`${request.method} ${path}`];
  try {
    if (page !== undefined || vendor !== undefined) {
      const [file = "", type = "text/javascript"] = page ?? [`node_modules/@aapd/embed/lib/${vendor}`];
      response.writeHead(200, { "content-type": type, "content-security-policy": policy });
      response.end(await readFile(file));
    } else if (route === undefined) response.writeHead(404).end();
    else {
      const answer = await route(Buffer.concat(chunks), request.headers);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    }
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    response.writeHead(error instanceof WebhookSignatureMismatch ? 401 : 500).end();
  }
}).listen(Number(variable("PORT")), "127.0.0.1");
