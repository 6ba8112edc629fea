import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../src/platform/clock.ts";

/** A request that the receiver got. */
export interface ReceivedWebhook {
  readonly at: Date;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies.
  readonly body: any;
}

export type Behaviour = (response: ServerResponse, received: ReceivedWebhook) => void;

export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** Sets its answers from now on. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export const accept: Behaviour = (response) => void response.writeHead(204).end();

/** A partner's endpoint on this machine. Records each request with the time of the given clock. */
export async function startReceiver(clock: Clock): Promise<WebhookReceiver> {
  let behaviour = accept;
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const webhook = { at: clock.now(), headers: request.headers, raw, body: JSON.parse(raw.toString() || "null") };
      received.push(webhook);
      behaviour(response, webhook);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    behave(next) {
      behaviour = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
