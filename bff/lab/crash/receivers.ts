import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import type { PartnerReceiver, ReceiverMode } from "../sim/partner-receivers.ts";

const bodySchema = z.object({
  event_id: z.string(),
  event: z.string(),
  order_hash: z.string(),
  sequence: z.number(),
  status: z.string(),
});

/** The modes of the simulation, except a late answer: in real time each would take as long as an attempt may. */
export const REAL_RECEIVER_MODES = ["up", "down", "failing", "answer_lost"] as const satisfies readonly ReceiverMode[];

/** A partner's receiver on this machine: a real server that behaves by its `mode` and records its requests. */
export async function startPartnerReceiver(): Promise<PartnerReceiver & { readonly close: () => void }> {
  const receiver: PartnerReceiver = { url: "", mode: "up", received: [] };
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const { mode } = receiver;
        if (mode === "down") {
          request.socket.destroy();
          return;
        }
        const received = bodySchema.safeParse(JSON.parse(body));
        if (received.success)
          receiver.received.push({
            at: new Date(),
            eventId: received.data.event_id,
            event: received.data.event,
            orderId: received.data.order_hash,
            sequence: received.data.sequence,
            status: received.data.status,
            mode,
          });
        if (mode === "answer_lost") request.socket.destroy();
        else response.writeHead(mode === "failing" ? 500 : 204).end();
      },
      () => undefined,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/hook`, close: () => void server.close() });
}
