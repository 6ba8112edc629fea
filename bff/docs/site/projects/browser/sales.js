/* The calls of your own back end, from the page. */

async function call(method, path, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok)
    throw new Error(answer.status === 422 ? "Revisa el RUT." : "No pudimos empezar el pago. Intenta otra vez.");
  return answer.json();
}

/** Opens a sale for the patient and returns its id. */
export async function openSale(rut) {
  return (await call("POST", "/sales", { rut })).id;
}

/** A fresh address of the sale's checkout. */
export async function checkoutUrl(id) {
  return (await call("POST", `/sales/${id}/checkout`)).url;
}

const TRIES_MAX = 60;

/** Waits until the webhook has reached your back end. What the frame shows is only a hint. */
export async function isPaid(id) {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const { status, receipt } = await call("GET", `/sales/${id}`);
    if (status === "paid" && receipt !== null) return true;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return false;
}
