import { isGenuine } from "./verify-webhook.mjs";

const BODY_BYTES_MAX = 1_000_000;

/**
 * For `createServer` of `node:http`. `transaction(work)` is yours: it runs `work(db)` in a transaction of your
 * database, and rolls it back when `work` throws.
 *
 * The table `received_events` has a unique `event_id`: a second copy waits for the first.
 */
export function webhookReceiver({ transaction, onEvent, onError }) {
  return async (request, response) => {
    const status = await receive(request).catch((error) => {
      onError(error); // for your log
      return 500; // it comes again
    });
    response.writeHead(status).end();
  };

  async function receive(request) {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    }
    if (bytes > BODY_BYTES_MAX) return 413;
    const rawBody = Buffer.concat(chunks);
    if (!isGenuine(rawBody, request.headers["x-service-signature"], process.env.WEBHOOK_SECRET)) return 401;
    const event = JSON.parse(rawBody.toString("utf8"));
    await transaction(async (db) => {
      const insert = "INSERT INTO received_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id";
      const { rows } = await db.query(insert, [event.event_id]);
      if (rows.length === 1) await onEvent(event, db); // order.paid: the sale is paid; its receipt is to be submitted
    });
    return 204;
  }
}
