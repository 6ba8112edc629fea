const { SPOT_API, PUBLIC_KEY } = process.env;

/** Sends the receipt of an order. Safe to repeat: an order has one expense. */
export async function submitReceipt({ hash, rut, receipt }) {
  const form = new FormData();
  form.append("skip_pay_order_id", hash);
  form.append("uploaded_files", new Blob([receipt], { type: "application/pdf" }), "boleta.pdf");
  const query = new URLSearchParams({ public_key: PUBLIC_KEY, rut });
  const response = await fetch(`${SPOT_API}/api/spot/gastos?${query}`, { method: "POST", body: form });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code} (${response.headers.get("x-request-id")})`);
  return answer;
}
