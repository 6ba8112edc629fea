import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { errorCodes } from "../contract/errors.ts";
import { requestIdOf } from "../platform/http/request-context.ts";
import { type RunningServer, startServer } from "../platform/http/server.ts";
import { systemIds } from "../platform/ids.ts";
import { programOf } from "../platform/program.ts";
import type { Config, Face } from "./config.ts";
import { alive } from "./probes.ts";

/*
 * Opens and closes ports so that a proxy loses no request. A proxy passes a request on if it cannot connect, and may
 * not repeat one that was accepted. Servers therefore listen only once the process is ready. They answer `NOT_TAKEN`
 * while the database is out of reach, and before they stop. Probes are answered all the time.
 */

const PORT_VARIABLES: Readonly<Record<Face, string>> = {
  order: "ORDER_API_PORT",
  spot: "SPOT_API_PORT",
  widget: "WIDGET_HOST_PORT",
  operations: "OPERATIONS_PORT",
  sandbox: "SANDBOX_PARTIES_PORT",
};

/**
 * The status of a request that was not accepted: it had no effect, and another process may handle it. No endpoint
 * answers it, so a proxy can distinguish it from every real answer (`deploy/nginx.conf`).
 */
export const NOT_TAKEN = 504;

/** The servers of the faces. */
export interface FaceServers {
  /** The ports on which they listen. */
  readonly ports: ReadonlyMap<Face, number>;
  /** Gives the servers their apps. Requests that arrived earlier were waiting for them. */
  serve(apps: ReadonlyMap<Face, RequestListener>): void;
  /** Makes `/readyz` answer 503 and closes every connection after its next answer; requests are still served. */
  drain(): void;
  /** Whether new requests are accepted, or answered `NOT_TAKEN`. */
  accept(isAccepting: boolean): void;
  /** Accepts no new requests any more. */
  leave(): void;
  /** Accepts no new requests and waits for the running ones. Returns whether any were cut off. */
  close(options: { deadlineMs: number }): Promise<{ forced: boolean }>;
}

/** Opens the ports of the faces. Throws `CannotListen` after closing the others. */
export async function listenForFaces({
  faces,
  addresses,
  bindAddress: address,
}: Pick<Config, "faces" | "addresses" | "bindAddress">): Promise<FaceServers> {
  const apps = new Map(faces.map((face) => [face, lateApp()]));
  const servers = new Map<Face, RunningServer>();
  let stage: "serving" | "draining" | "leaving" = "serving";
  let isAccepting = true;
  const listenerOf = (face: Face): RequestListener => {
    return (request, response) => {
      const isProbe = request.url === "/healthz" || request.url === "/readyz";
      if (stage !== "serving" && request.url === "/readyz") answerDraining(request, response);
      else if ((stage === "leaving" || !isAccepting) && !isProbe) answerNotTaken(request, response);
      else apps.get(face)?.listener(request, response);
    };
  };
  const close = async (options: { deadlineMs: number }) => {
    const ended = await Promise.all([...servers.values()].map((server) => server.close(options)));
    return { forced: ended.some(({ forced }) => forced) };
  };
  try {
    for (const face of faces) {
      const [portVariable, { port }] = [PORT_VARIABLES[face], addresses[face]];
      servers.set(face, await startServer({ listener: listenerOf(face), port, address, portVariable }));
    }
  } catch (error) {
    await close({ deadlineMs: 0 });
    throw error;
  }
  return {
    ports: new Map([...servers].map(([face, { port }]) => [face, port])),
    serve(given) {
      for (const [face, app] of given) apps.get(face)?.give(app);
    },
    drain() {
      stage = "draining";
      for (const server of servers.values()) server.drain();
    },
    accept(accepting) {
      isAccepting = accepting;
    },
    leave() {
      stage = "leaving";
    },
    close,
  };
}

/** The server of `PROBES_PORT`, open from before the process is ready until its last request has finished. */
export interface ProbesServer {
  readonly port: number;
  /** The process is ready: its app answers. */
  serve(app: RequestListener): void;
  drain(): void;
  close(): Promise<void>;
}

/** Opens the port of the probes; null if they have none. Throws `CannotListen`. */
export async function listenForProbes({
  probesPort,
  bindAddress: address,
  commit,
}: Pick<Config, "probesPort" | "bindAddress" | "commit">): Promise<ProbesServer | null> {
  if (probesPort === null) return null;
  let app = answerNotYet(alive(programOf({ commit })));
  let isDraining = false;
  const listener: RequestListener = (request, response) => {
    if (isDraining && request.url === "/readyz") answerDraining(request, response);
    else app(request, response);
  };
  const server = await startServer({ listener, port: probesPort, address, portVariable: "PROBES_PORT" });
  return {
    port: server.port,
    serve(given) {
      app = given;
    },
    drain() {
      isDraining = true;
      server.drain();
    },
    close: async () => void (await server.close({ deadlineMs: 0 })),
  };
}

/** An app that is attached some time after its port was opened. */
function lateApp(): { readonly listener: RequestListener; give(app: RequestListener): void } {
  let app: RequestListener | null = null;
  const waiting: (() => void)[] = [];
  const listener: RequestListener = (request, response) => {
    if (app === null) waiting.push(() => listener(request, response));
    else app(request, response);
  };
  return {
    listener,
    give(given) {
      app = given;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

const answerDraining: RequestListener = (request, response) => {
  sendJson(request, response, 503, { status: "draining" });
};

/** Reads the body first, because a proxy that is still sending must not find the connection closed. */
const answerNotTaken: RequestListener = (request, response) => {
  request.once("end", () => sendUnavailable(request, response, NOT_TAKEN)).resume();
};

/** A starting process counts as alive, so that it is not killed while another process migrates the database. */
function answerNotYet(health: object): RequestListener {
  return (request, response) => {
    if (request.url === "/healthz") sendJson(request, response, 200, health);
    else sendUnavailable(request, response, 503);
  };
}

function sendUnavailable(request: IncomingMessage, response: ServerResponse, status: number): void {
  const { en: detail } = errorCodes.service_unavailable;
  sendJson(request, response, status, { detail, code: "service_unavailable" }, { "Retry-After": "1" });
}

function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: OutgoingHttpHeaders = {},
): void {
  const requestId = requestIdOf(request, systemIds);
  response.writeHead(status, { "Content-Type": "application/json", "X-Request-Id": requestId, ...headers });
  response.end(JSON.stringify(status >= 500 && "code" in body ? { ...body, request_id: requestId } : body));
}
