import express from "express";
import { createServer } from "vite";
import { openSale, readSale, receiveWebhook, startCheckout, statusOf } from "./clinic.js";

const { PORT = "3000" } = process.env;
const app = express();

// The signature is over the bytes as they came: no JSON parser before this route.
app.post("/webhooks", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
  await receiveWebhook(request.body, request.headers);
  response.sendStatus(204);
});
app.post("/sales", express.json(), (request, response) => response.json(openSale(request.body?.rut)));
app.get("/sales/:id", (request, response) => response.json(readSale(request.params.id)));
app.post("/sales/:id/checkout", async (request, response) => response.json(await startCheckout(request.params.id)));

// In production, serve `dist` after `vite build` instead.
const vite = await createServer({ server: { middlewareMode: true } });
app.use(vite.middlewares);

app.use((error, _request, response, _next) => {
  const status = statusOf(error);
  console.error(status === 500 ? error : error.message);
  response.sendStatus(status);
});

app.listen(Number(PORT), "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
