// Node 20 or newer, no packages.
const { ORDER_API, SPOT_API, CLIENT_SECRET, PUBLIC_KEY } = process.env;

/** Creates the order and mints its widget token. Keep `hash` with your sale; `url` goes to your page. */
export async function startCheckout({ reference, totalClp, patient }) {
  const order = await post(
    `${ORDER_API}/orders`,
    { reference, total_amount: totalClp, customer: patient },
    { Authorization: `Bearer ${CLIENT_SECRET}`, "Idempotency-Key": reference },
  );
  const { url } = await post(`${SPOT_API}/api/spot/widget?public_key=${PUBLIC_KEY}`, {
    order_token: order.hash,
    rut: patient.rut,
  });
  return { hash: order.hash, url };
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code} (${response.headers.get("x-request-id")})`);
  return answer;
}
