import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ServerOptions {
  listener: RequestListener;
  /** 0 takes any free port. */
  port: number;
  /** The address to listen on, such as `127.0.0.1`. */
  address: string;
  /** The environment variable that sets the port, for the message if the port is taken. */
  portVariable: string;
  timeouts?: Partial<ServerTimeouts>;
}

export interface ServerTimeouts {
  /** The time limit from the first byte of a request to the last of its headers. */
  headersMs: number;
  /** The time limit from the first byte of a request to the last of its body. Uploads from a phone are slow. */
  requestMs: number;
  /**
   * How long an idle connection stays open. Longer than a load balancer's 60 s, so that it never sends to a closed
   * connection.
   */
  keepAliveMs: number;
}

const defaultTimeouts: ServerTimeouts = { headersMs: 20_000, requestMs: 120_000, keepAliveMs: 65_000 };

export interface RunningServer {
  /** The port that it listens on. */
  port: number;
  /** Closes every connection after its next answer; new ones are still accepted. */
  drain(): void;
  /**
   * Accepts no new connections, lets running requests finish, and after `deadlineMs` closes the rest. Returns whether
   * any were forced to close.
   */
  close(options?: { deadlineMs: number }): Promise<{ forced: boolean }>;
}

/** Thrown when a server cannot listen on its port. The message is for the operator. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
  readonly code = "cannot_listen";
}

const closeDeadlineMs = 10_000;

/** Starts an HTTP server. Resolves once it listens. */
export async function startServer({
  listener,
  port,
  address,
  portVariable,
  timeouts,
}: ServerOptions): Promise<RunningServer> {
  const { headersMs, requestMs, keepAliveMs } = { ...defaultTimeouts, ...timeouts };
  let isClosing = false;
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(headersMs, 5_000),
    },
    (request, response) => {
      // Otherwise a busy client would keep its connection, and with it the server, open.
      if (isClosing) response.setHeader("Connection", "close");
      listener(request, response);
    },
  );
  await listen(server, { port, address, portVariable });
  return {
    port: (server.address() as AddressInfo).port,
    drain() {
      isClosing = true;
    },
    close({ deadlineMs } = { deadlineMs: closeDeadlineMs }) {
      isClosing = true;
      return closeServer(server, deadlineMs);
    },
  };
}

function listen(
  server: Server,
  { port, address, portVariable }: Pick<ServerOptions, "port" | "address" | "portVariable">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(new CannotListen(explain(cause), { cause })));
    server.listen(port, address, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });

  function explain({ code }: NodeJS.ErrnoException): string {
    if (code === "EADDRINUSE")
      return `Port ${port} on ${address} is taken. Stop the program that listens there, or set ${portVariable} to another port.`;
    if (code === "EACCES")
      return `Port ${port} on ${address} needs more permissions. Set ${portVariable} to a port above 1023.`;
    return `Cannot listen on port ${port} of ${address} (${code ?? "unknown"}). Check ${portVariable} and BIND_ADDRESS.`;
  }
}

async function closeServer(server: Server, deadlineMs: number): Promise<{ forced: boolean }> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Connections that were busy when the server began to close become idle only later.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  let forced = false;
  const deadline = setTimeout(() => {
    forced = true;
    server.closeAllConnections();
  }, deadlineMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  return { forced };
}
