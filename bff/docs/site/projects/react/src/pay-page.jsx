"use client";

import { AapdCheckout } from "@aapd/react";
import { useState } from "react";
import { checkoutUrl, isPaid, openSale } from "./sales.js";

export function PayPage() {
  const [sale, setSale] = useState(null);
  const [status, setStatus] = useState("");

  async function start(form) {
    setStatus("");
    try {
      const id = await openSale(form.get("rut"));
      setSale({ id, url: await checkoutUrl(id) });
    } catch (error) {
      setStatus(error.message);
    }
  }

  async function showResult() {
    setStatus("Confirmando el pago…");
    setStatus((await isPaid(sale.id)) ? "Pagada. Boleta enviada." : "Te avisaremos cuando se confirme el pago.");
  }

  return (
    <main>
      <h1>Consulta: $45.952</h1>
      {sale === null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void start(new FormData(event.currentTarget));
          }}
        >
          <label>
            RUT <input name="rut" required autoComplete="off" />
          </label>
          <button type="submit">Pagar</button>
        </form>
      )}
      <p role="status">{status}</p>
      {sale !== null && (
        <AapdCheckout
          key={sale.id}
          url={sale.url}
          requestToken={() => checkoutUrl(sale.id)}
          onComplete={() => void showResult()}
        />
      )}
    </main>
  );
}
