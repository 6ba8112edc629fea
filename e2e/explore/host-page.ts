import type { TestPage } from "../support/test-pages.ts";

/**
 * A partner's page that records every message of the frame, from the kit and from its window, and the time of the last
 * height.
 */
export function explorerPage(kitUrl: string, checkoutUrl: string, mode: "inline" | "dialog"): TestPage {
  return {
    html: `<!doctype html>
<html lang="es-CL">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Clínica</title>
<h1>Clínica</h1>
<div id="checkout"></div>
<script type="module">
import { mountCheckout } from ${JSON.stringify(kitUrl)};
window.messages = [];
window.heightAt = 0;
addEventListener("message", ({ data }) => messages.push(JSON.stringify(data) ?? ""));
mountCheckout(document.getElementById("checkout"), {
  url: ${JSON.stringify(checkoutUrl)},
  mode: ${JSON.stringify(mode)},
  inspect: (direction, what) => {
    if (direction === "received") messages.push(JSON.stringify(what));
    if (direction === "received" && what.type === "resize") heightAt = performance.now();
  },
});
</script>
</html>`,
  };
}
