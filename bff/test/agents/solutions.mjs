import { createHmac, timingSafeEqual } from "node:crypto";

/* One right and one wrong solution of each task for agents: the wrong one makes the mistake that the task is about. */

const equal = (one, other) => one.length === other.length && timingSafeEqual(one, other);
const hmac = (secret, body) => createHmac("sha256", secret).update(body);

function isGenuine(body, signature, secret) {
  return equal(Buffer.from(String(signature)), Buffer.from(`sha256=${hmac(secret, body).digest("hex")}`));
}

function standardSignature(body, headers, secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`;
  return `v1,${createHmac("sha256", key).update(signed).update(body).digest("base64")}`;
}

async function call(method, url, { token, body, headers = {} } = {}) {
  const json = body === undefined || body instanceof FormData ? {} : { "Content-Type": "application/json" };
  const credential = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  const answer = await fetch(url, { method, headers: { ...json, ...credential, ...headers }, body: sent });
  const text = await answer.text();
  return { status: answer.status, ok: answer.ok, body: text === "" ? null : JSON.parse(text) };
}

const bodyOf = async (answer) => {
  const { ok, status, body } = await answer;
  if (!ok) throw new Error(`${status} ${body?.code}`);
  return body;
};

const orderOf = ({ reference, totalClp, patient }) => ({ reference, total_amount: totalClp, customer: patient });
const postOrder = (env, sale, more = {}) =>
  call("POST", `${env.ORDER_API}/orders`, {
    token: env.CLIENT_SECRET,
    headers: { "Idempotency-Key": sale.reference },
    body: { ...orderOf(sale), ...more },
  });
const mint = (env, body) =>
  bodyOf(call("POST", `${env.SPOT_API}/api/spot/widget?public_key=${env.PUBLIC_KEY}`, { body }));
const readOrder = (env, hash) => call("GET", `${env.ORDER_API}/orders/${hash}`, { token: env.CLIENT_SECRET });
const secretKey = (env) => ({ "X-Secret-Key": env.SECRET_KEY });

function submit(env, { rut, hash, files }) {
  const form = new FormData();
  if (hash !== undefined) form.append("skip_pay_order_id", hash);
  for (const [name, bytes] of files)
    form.append("uploaded_files", new Blob([bytes], { type: "application/pdf" }), name);
  const query = new URLSearchParams({ public_key: env.PUBLIC_KEY, rut });
  return bodyOf(call("POST", `${env.SPOT_API}/api/spot/gastos?${query}`, { body: form }));
}

function receiver({ secret, onEvent, isChecked = true, isAnsweredFirst = false }) {
  return async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    if (isChecked && !isGenuine(body, request.headers["x-service-signature"], secret))
      return response.writeHead(401).end();
    if (isAnsweredFirst) response.writeHead(204).end();
    await onEvent(JSON.parse(body));
    if (!isAnsweredFirst) response.writeHead(204).end();
  };
}

function statuses(events) {
  return Object.fromEntries(events.map(({ reference, status }) => [reference, status]));
}

async function repeat(times, request) {
  try {
    return await request();
  } catch (error) {
    if (times === 0) throw error;
    return repeat(times - 1, request);
  }
}

function page(env, sale, { shown, sources }) {
  return async (request, response) => {
    if (request.method === "POST") {
      const { hash } = await bodyOf(postOrder(env, sale));
      const { url } = await mint(env, { order_token: hash, rut: sale.patient.rut });
      return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ url }));
    }
    const policy = `default-src 'self'; script-src ${sources}; frame-src ${env.WIDGET_HOST}`;
    const html = `<!doctype html><div id="checkout"></div>${shown}<script type="module" src="${env.WIDGET_HOST}/embed/v1.js"></script>`;
    return response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": policy }).end(html);
  };
}

async function everyPage(read, limit, after) {
  const { items, next } = await read(limit, after);
  return next === null ? items : [...items, ...(await everyPage(read, limit, next))];
}

const readOrders = (env) => async (limit, after) => {
  const query = new URLSearchParams({ status: "paid", limit, ...(after === undefined ? {} : { after }) });
  const { orders, next } = await bodyOf(call("GET", `${env.ORDER_API}/orders?${query}`, { token: env.CLIENT_SECRET }));
  return { items: orders, next };
};
const readEvents = (env) => async (limit, after) => {
  const query = new URLSearchParams({ limit, ...(after === undefined ? {} : { after }) });
  const log = await bodyOf(call("GET", `${env.SPOT_API}/api/events?${query}`, { headers: secretKey(env) }));
  return { items: log.events, next: log.has_more ? log.next : null };
};
const withoutReceipt = (orders) => orders.filter(({ expense }) => expense === null).map(({ reference }) => reference);
const paidIn = (events) => events.filter(({ event }) => event === "order.paid").map(({ reference }) => reference);

async function send(request, pause, { isRetried, attempt = 1 }) {
  const answer = await request().catch((error) => error);
  const isLost = answer instanceof Error;
  if (attempt === 6 || !(isLost || isRetried(answer.status))) {
    if (isLost) throw answer;
    return answer;
  }
  const wait = isLost ? null : answer.headers.get("Retry-After");
  await pause(wait === null ? 500 * 2 ** attempt : Number(wait) * 1_000);
  return send(request, pause, { isRetried, attempt: attempt + 1 });
}

async function createForCentre(env, centre, sale, provider) {
  const url = `${env.SPOT_API}/api/spot/sacmed/centers?public_key=${env.PUBLIC_KEY}`;
  if (provider) await bodyOf(call("POST", url, { headers: secretKey(env), body: { centers: [centre] } }));
  return (await bodyOf(postOrder(env, sale, { provider_rut: centre.rut }))).hash;
}

export const solutions = {
  "verify-signature": {
    right: { isGenuine },
    wrong: { isGenuine: (_body, signature) => /^sha256=[0-9a-f]{64}$/.test(signature ?? "") },
  },
  "receive-once": {
    right: {
      createReceiver(secret, onPaid) {
        const seen = new Set();
        const onEvent = ({ event_id: id, event, reference }) => {
          if (event === "order.paid" && !seen.has(id)) onPaid(reference);
          seen.add(id);
        };
        return receiver({ secret, onEvent });
      },
    },
    wrong: {
      createReceiver: (secret, onPaid) =>
        receiver({ secret, onEvent: ({ event, reference }) => void (event === "order.paid" && onPaid(reference)) }),
    },
  },
  "order-by-sequence": {
    right: { latestStatuses: (events) => statuses(events.toSorted((one, other) => one.sequence - other.sequence)) },
    wrong: { latestStatuses: statuses },
  },
  "answer-in-time": {
    right: { createReceiver: (secret, onEvent) => receiver({ secret, onEvent, isAnsweredFirst: true }) },
    wrong: { createReceiver: (secret, onEvent) => receiver({ secret, onEvent }) },
  },
  "refuse-replay": {
    right: {
      isFresh: (body, headers, secret, now) =>
        Math.abs(now - Number(headers["webhook-timestamp"])) <= 300 &&
        standardSignature(body, headers, secret) === headers["webhook-signature"],
    },
    wrong: {
      isFresh: (body, headers, secret) => standardSignature(body, headers, secret) === headers["webhook-signature"],
    },
  },
  "rotate-secret": {
    right: {
      isGenuine: (body, headers, secrets) =>
        secrets.some((secret) =>
          headers["webhook-signature"].split(" ").includes(standardSignature(body, headers, secret)),
        ),
    },
    wrong: {
      isGenuine: (body, headers, secrets) =>
        secrets.some((secret) => headers["webhook-signature"].startsWith(standardSignature(body, headers, secret))),
    },
  },
  "create-order": {
    right: { createOrder: async (env, sale) => (await bodyOf(postOrder(env, sale))).hash },
    wrong: {
      async createOrder(env, sale) {
        const reference = crypto.randomUUID();
        return (await bodyOf(postOrder(env, { ...sale, reference }))).hash;
      },
    },
  },
  "survive-lost-answer": {
    right: { createOrder: (env, sale) => repeat(3, async () => (await bodyOf(postOrder(env, sale))).hash) },
    wrong: { createOrder: async (env, sale) => (await bodyOf(postOrder(env, sale))).hash },
  },
  "start-checkout": {
    right: {
      async startCheckout(env, sale) {
        const { hash } = await bodyOf(postOrder(env, sale));
        const body = { order_token: hash, rut: sale.patient.rut, parent_origin: "http://localhost:5173" };
        return (await mint(env, body)).url;
      },
    },
    wrong: {
      async startCheckout(env, sale) {
        await bodyOf(postOrder(env, sale));
        return (await mint(env, { rut: sale.patient.rut, parent_origin: "http://localhost:5173" })).url;
      },
    },
  },
  "page-without-secrets": {
    right: { createApp: (env, sale) => page(env, sale, { shown: "", sources: `'self' ${env.WIDGET_HOST}` }) },
    wrong: {
      createApp: (env, sale) =>
        page(env, sale, {
          shown: `<p data-key="${env.CLIENT_SECRET}"></p>`,
          sources: `'self' ${env.WIDGET_HOST}`,
        }),
    },
  },
  "confirm-paid": {
    right: {
      async isPaid(env, hash) {
        const { body } = await readOrder(env, hash);
        return ["paid", "partially_refunded"].includes(body.status);
      },
    },
    wrong: { isPaid: async (env, hash) => (await readOrder(env, hash)).body.status === "paid" },
  },
  "refund-part": {
    right: {
      refundPart: (env, { hash, amount, refundReference }) =>
        bodyOf(
          call("PUT", `${env.ORDER_API}/orders/${hash}/refund`, {
            token: env.CLIENT_SECRET,
            body: { amount, refund_reference: refundReference },
          }),
        ),
    },
    wrong: {
      refundPart: (env, { hash, amount }) =>
        bodyOf(call("PUT", `${env.ORDER_API}/orders/${hash}/refund`, { token: env.CLIENT_SECRET, body: { amount } })),
    },
  },
  "submit-receipt": {
    right: {
      submitReceipt: (env, { hash, rut, receipt }) => submit(env, { hash, rut, files: [["boleta.pdf", receipt]] }),
    },
    wrong: { submitReceipt: (env, { rut, receipt }) => submit(env, { rut, files: [["boleta.pdf", receipt]] }) },
  },
  "send-missing-document": {
    right: {
      sendMissingDocument: (env, { hash, rut, document }) =>
        submit(env, { hash, rut, files: [["orden.pdf", document]] }),
    },
    wrong: { sendMissingDocument: (env, { rut, document }) => submit(env, { rut, files: [["orden.pdf", document]] }) },
  },
  "find-missing-receipts": {
    right: {
      referencesWithoutReceipt: async (env, limit) => withoutReceipt(await everyPage(readOrders(env), limit)),
    },
    wrong: {
      referencesWithoutReceipt: async (env, limit) => withoutReceipt((await readOrders(env)(limit)).items),
    },
  },
  "retry-with-backoff": {
    right: {
      send: (request, pause) => send(request, pause, { isRetried: (status) => status === 429 || status >= 500 }),
    },
    wrong: { send: (request, pause) => send(request, pause, { isRetried: (status) => status >= 400 }) },
  },
  "show-invalid-fields": {
    right: {
      async invalidFields(env, sale) {
        const { body } = await postOrder(env, sale);
        return (body.errors ?? []).map(({ path }) => path);
      },
    },
    wrong: {
      async invalidFields(env, sale) {
        const { ok, body } = await postOrder(env, sale);
        return ok ? [] : [body.code];
      },
    },
  },
  "order-for-centre": {
    right: { createOrderForCentre: (env, centre, sale) => createForCentre(env, centre, sale, true) },
    wrong: { createOrderForCentre: (env, centre, sale) => createForCentre(env, centre, sale, false) },
  },
  "replace-link": {
    right: {
      async replaceLink(env, { hash, rut, widgetToken }) {
        await bodyOf(call("DELETE", `${env.SPOT_API}/api/spot/widget/${widgetToken}`, { token: env.CLIENT_SECRET }));
        return (await mint(env, { order_token: hash, rut })).url;
      },
    },
    wrong: { replaceLink: async (env, { hash, rut }) => (await mint(env, { order_token: hash, rut })).url },
  },
  "recover-events": {
    right: { paidReferences: async (env, limit) => paidIn(await everyPage(readEvents(env), limit)) },
    wrong: { paidReferences: async (env, limit) => paidIn((await readEvents(env)(limit)).items) },
  },
};
