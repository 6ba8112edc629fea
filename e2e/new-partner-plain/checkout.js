import { mountCheckout } from "https://WIDGET_HOST/embed/v1.js";

const rut = new URLSearchParams(location.search).get("rut");
const { url } = await (await fetch("/checkout", { method: "POST", body: JSON.stringify({ rut }) })).json();
mountCheckout(document.getElementById("checkout"), { url });
