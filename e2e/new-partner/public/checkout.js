import { mountCheckout } from "/vendor/packages/embed/src/index.js";

const rut = new URLSearchParams(location.search).get("rut");
const { url } = await (await fetch("/checkout", { method: "POST", body: JSON.stringify({ rut }) })).json();
const checkout = await mountCheckout(document.querySelector("#checkout"), { url });
const { signed_receipt } = await checkout.completed;
await fetch("/receipt", { method: "POST", body: JSON.stringify({ signed_receipt }) });
