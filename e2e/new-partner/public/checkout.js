import { mountCheckout } from "/vendor/packages/embed/src/index.js";

const query = new URLSearchParams(location.search);
const rut = query.get("rut");
const { url } = await (await fetch("/checkout", { method: "POST", body: JSON.stringify({ rut }) })).json();
const checkout = await mountCheckout(document.querySelector("#checkout"), {
  url,
  locale: query.get("locale") ?? "es-CL",
});
const { signed_receipt } = await checkout.completed;
await fetch("/receipt", { method: "POST", body: JSON.stringify({ signed_receipt }) });
