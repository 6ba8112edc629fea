import { createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { getKeys } from "../../packages/server/src/dev/get-keys.ts";
import { newRut } from "../../packages/server/src/dev/new-rut.ts";
import { newTenant } from "../../packages/server/src/dev/new-tenant.ts";
import { clientOf, openOrder, playScenario, TEST_RECEIPT } from "../../packages/server/src/dev/play-scenario.ts";

/* The helpers of the graders: a tenant of the sandbox, its orders, signed events and servers. */

/** A new tenant of the sandbox. */
export async function openWorld(orderApi) {
  const keys = await getKeys(orderApi, { name: "Clínica de prueba", origins: [] });
  const client = clientOf(keys);
  const servers = [];
  const serve = async (listener) => {
    const server = createServer(listener);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    return `http://127.0.0.1:${server.address().port}`;
  };
  return {
    env: environmentOf(keys),
    client,
    receipt: TEST_RECEIPT,
    sale: () => saleOf(newRut()),
    /** An order that a patient has paid. */
    async paidOrder() {
      const { order } = await playScenario(keys, { name: "paid", ends: "" });
      return { hash: order.hash, rut: order.customer.rut, reference: order.reference };
    },
    /** An order with a checkout that no patient has opened. */
    async pendingOrder() {
      const rut = newRut();
      const { hash, widgetToken } = await openOrder(client, rut);
      return { hash, rut, widgetToken, reference: (await client.getOrder(hash)).reference };
    },
    metaProvider: () => openMetaProvider(keys),
    sign,
    deliver,
    serve,
    proxyThatLosesFirstAnswer: (target) => loseFirstAnswer(target, serve),
    close() {
      for (const server of servers.splice(0)) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function environmentOf({ addresses, credentials }) {
  return {
    ORDER_API: addresses.order_api,
    SPOT_API: addresses.spot_api,
    WIDGET_HOST: addresses.widget_host,
    CLIENT_SECRET: credentials.client_secret,
    CLIENT_ID: credentials.client_id,
    PUBLIC_KEY: credentials.public_key,
    SECRET_KEY: credentials.secret_key,
    WEBHOOK_SECRET: credentials.webhook_secret,
  };
}

function saleOf(rut) {
  const patient = {
    rut,
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email: `camila.${rut.replaceAll(/\D/g, "")}@example.com`,
    phone_number: "+56912345678",
  };
  return { reference: `venta-${randomUUID()}`, totalClp: 45_952, patient };
}

async function openMetaProvider(keys) {
  const network = await newTenant(keys, { name: "Red de prueba", origins: [], meta: true });
  return { env: environmentOf(network), client: clientOf(network) };
}

/** Signs as the service does: the value of the service's own header, and all headers. */
function sign(body, secret, seconds = Math.floor(Date.now() / 1_000)) {
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const standard = createHmac("sha256", key).update(`e1.${seconds}.`).update(body).digest("base64");
  const headers = { "webhook-id": "e1", "webhook-timestamp": String(seconds), "webhook-signature": `v1,${standard}` };
  return { signature, headers: { ...headers, "x-service-signature": signature } };
}

/** Delivers a signed event and returns the status of the answer. Rejects if there is none within two seconds. */
async function deliver(url, event, secret) {
  const body = Buffer.from(JSON.stringify(event));
  const headers = { "Content-Type": "application/json", ...sign(body, secret).headers };
  const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(2_000) });
  return answer.status;
}

/** Forwards every request, and breaks the connection of the first one once its answer has arrived. */
async function loseFirstAnswer(target, serve) {
  let requests = 0;
  const url = await serve(async (request, response) => {
    requests += 1;
    const isFirst = requests === 1;
    const body = Buffer.concat(await Array.fromAsync(request));
    const { host, connection, "content-length": _length, "transfer-encoding": _coding, ...headers } = request.headers;
    const hasBody = request.method !== "GET";
    const answer = await fetch(new URL(request.url, target), {
      method: request.method,
      headers,
      ...(hasBody ? { body } : {}),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (isFirst) response.destroy();
    else response.writeHead(answer.status, { "Content-Type": "application/json" }).end(bytes);
  });
  return { url, requests: () => requests };
}
