import express from "express";
import { openSale, readSale, receiveWebhook, startCheckout, statusOf } from "./clinic.js";

const { WIDGET_HOST, PORT = "3000" } = process.env;
const app = express();

app.use((_request, response, next) => {
  const policy = `default-src 'self'; script-src 'self' ${WIDGET_HOST}; frame-src ${WIDGET_HOST}`;
  response.set("content-security-policy", policy);
  next();
});

// The signature is over the bytes as they came: no JSON parser before this route.
app.post("/webhooks", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
  await receiveWebhook(request.body, request.headers);
  response.sendStatus(204);
});
app.post("/sales", express.json(), (request, response) => response.json(openSale(request.body?.rut)));
app.get("/sales/:id", (request, response) => response.json(readSale(request.params.id)));
app.post("/sales/:id/checkout", async (request, response) => response.json(await startCheckout(request.params.id)));
app.use(express.static("public"));

app.use((error, _request, response, _next) => {
  const status = statusOf(error);
  console.error(status === 500 ? error : error.message);
  response.sendStatus(status);
});

app.listen(Number(PORT), "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
