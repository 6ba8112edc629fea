import { mountCheckout } from "https://WIDGET_HOST/embed/v1.js";
import { checkoutUrl, isPaid, openSale } from "./sales.js";

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  status.textContent = "";
  start(form.rut.value).catch((error) => {
    status.textContent = error.message;
  });
});

async function start(rut) {
  const id = await openSale(rut);
  const url = await checkoutUrl(id);
  form.hidden = true;
  await mountCheckout(document.getElementById("checkout"), {
    url,
    requestToken: () => checkoutUrl(id),
    onComplete: async () => {
      status.textContent = "Confirmando el pago…";
      status.textContent = (await isPaid(id)) ? "Pagada. Boleta enviada." : "Te avisaremos cuando se confirme el pago.";
    },
  });
}
