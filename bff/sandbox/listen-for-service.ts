import { createServer, type RequestListener } from "node:http";

/**
 * Where the service calls the sandbox: the loopback address of this machine, on any free port, which no other machine
 * can reach.
 */
export interface ServiceListener {
  /** Without a slash at the end. */
  readonly url: string;
  /** Sets the app that answers from now on. */
  serve(app: RequestListener): void;
  close(): Promise<void>;
}

export async function listenForService(): Promise<ServiceListener> {
  let app: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => app(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A server on the loopback has a port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    serve(next) {
      app = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
