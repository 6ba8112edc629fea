import { mountCheckout } from "https://WIDGET_HOST/embed/v1.js";

const freshUrl = async () => (await (await fetch("/checkout", { method: "POST" })).json()).url;
mountCheckout(document.getElementById("checkout"), {
  url: await freshUrl(),
  requestToken: freshUrl,
  onComplete: () => location.assign("/gracias"),
});
