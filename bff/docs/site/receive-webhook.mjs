import { isGenuine } from "./verify-webhook.mjs";

/** For `createServer` of `node:http`. `store` is yours: a table with a unique `event_id`. */
export function webhookReceiver({ store, onEvent }) {
  return async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const rawBody = Buffer.concat(chunks);
    if (!isGenuine(rawBody, request.headers["x-service-signature"], process.env.WEBHOOK_SECRET)) {
      response.writeHead(401).end();
      return;
    }
    const event = JSON.parse(rawBody.toString("utf8"));
    if (!(await store.has(event.event_id))) {
      await onEvent(event); // order.paid: the sale is paid; submit its receipt
      await store.add(event.event_id);
    }
    response.writeHead(204).end();
  };
}
