import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { PartyClient, PartyRequest } from "../../../connectors/kit/party-client.ts";

/** Where a process dies: before its next request to the party is sent, or after it was answered. */
export type Death = "before" | "after";

/** A client whose process ends at a request: what waits for the answer never continues. */
export function createMortalClient(client: PartyClient) {
  let next: { readonly death: Death; readonly path: RegExp } | null = null;
  let isDead = false;
  const end = () => {
    isDead = true;
    return new Promise<never>(() => undefined);
  };
  const mortal: PartyClient = {
    async send(request: PartyRequest) {
      const death = next?.path.test(request.path) === true ? next.death : null;
      if (death !== null) next = null;
      if (death === "before") return end();
      const answer = await client.send(request);
      return death === "after" ? end() : answer;
    },
    close: () => client.close(),
  };
  return {
    mortal,
    dieAt(death: Death, path = /./) {
      next = { death, path };
      isDead = false;
    },
    isDead: () => isDead,
  };
}

interface Listening {
  readonly url: string;
  serve(app: RequestListener): void;
  close(): Promise<void>;
}

/** A server on a free port; until it serves something it answers 503. */
export async function listen(): Promise<Listening> {
  let app: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server: Server = createServer((request, response) => app(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    serve(next) {
      app = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
