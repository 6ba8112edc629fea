import { createServer, type ServerResponse } from "node:http";
import * as z from "zod";

/** A message on a telephone. */
export interface ArrivedMessage {
  readonly key: string;
  readonly to: string;
  readonly text: string;
}

/** How the gateway handles its next call. `error`: sends nothing and answers 500. `lost`: sends, but never answers. */
export type GatewayTrouble = "error" | "lost" | "refused" | "garbage" | "holds";

export interface MessageGateway {
  /** The settings that a service needs to reach it. */
  readonly environment: { readonly MESSAGING_URL: string; readonly MESSAGING_TOKEN: string };
  /** Messages that arrived on telephones, once per idempotency key. */
  readonly arrived: readonly ArrivedMessage[];
  /** The idempotency key of every call that was made. */
  readonly keys: readonly string[];
  /** Faults of the next calls; later calls succeed. */
  trouble(...next: readonly GatewayTrouble[]): void;
  /** Every call for this number fails. */
  failFor(to: string): void;
  /** Releases the held calls. */
  release(): void;
  /** Called whenever a call is held. */
  onHeld: () => void;
  close(): Promise<void>;
}

const TOKEN = "a-token-of-the-gateway";
const bodySchema = z.object({ input: z.object({ to: z.string(), text: z.string() }) });

/** A gateway for messages on this machine, over real HTTP, with faults that the test chooses. */
export async function startMessageGateway(): Promise<MessageGateway> {
  const arrived = new Map<string, ArrivedMessage>();
  const keys: string[] = [];
  let troubles: GatewayTrouble[] = [];
  const failing = new Set<string>();
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
      const key = String(request.headers["idempotency-key"]);
      const { input } = bodySchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
      keys.push(key);
      take({ key, ...input }, response);
    });
  });

  function take(message: ArrivedMessage, response: ServerResponse): void {
    const trouble = failing.has(message.to) ? "error" : troubles.shift();
    const answer = (body: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (trouble) {
      case "error":
        return void response.writeHead(500).end();
      case "refused":
        return void answer({ outcome: "refused", reason: "number_unreachable" });
      case "garbage":
        return void response.writeHead(200).end("<html>sent</html>");
      case "holds":
        held.push(() => take(message, response));
        gateway.onHeld();
        return;
      case "lost":
      case undefined:
        if (!arrived.has(message.key)) arrived.set(message.key, message);
        if (trouble === "lost") response.destroy();
        else answer({ outcome: "sent" });
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The gateway has no port.");
  const gateway: MessageGateway = {
    environment: { MESSAGING_URL: `http://127.0.0.1:${address.port}/v1`, MESSAGING_TOKEN: TOKEN },
    get arrived() {
      return [...arrived.values()];
    },
    keys,
    trouble(...next) {
      troubles = [...next];
    },
    failFor: (to) => void failing.add(to),
    release() {
      for (const go of held.splice(0)) go();
    },
    onHeld: () => undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gateway;
}
