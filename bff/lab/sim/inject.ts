import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Duplex } from "node:stream";

export interface InjectedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface InjectedAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what the endpoint answers.
  readonly body: any;
}

/**
 * Passes a request directly to a server's listener. Without a network, no time-out or packet of the machine changes the
 * order of events. Parses the answer's body as JSON.
 */
export function inject(listener: RequestListener, wanted: InjectedRequest): Promise<InjectedAnswer> {
  const socket = new Line();
  // Node's types require a network socket, but only the members of `Line` are used.
  const request = new IncomingMessage(socket as never);
  const body = wanted.body ?? Buffer.alloc(0);
  request.method = wanted.method;
  request.url = wanted.url;
  request.httpVersion = "1.1";
  request.headers = { host: "sim.test", ...wanted.headers, "content-length": String(body.length) };
  const response = new ServerResponse(request);
  response.assignSocket(socket as never);
  const chunks: Buffer[] = [];
  keepChunks(response, chunks);
  return new Promise((resolve, reject) => {
    response.once("finish", () => {
      // The server does this when an answer is complete, because the connection has no reader any more.
      response.detachSocket(socket as never);
      response.emit("close");
      try {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode, body: text === "" ? undefined : JSON.parse(text) });
      } catch (error) {
        reject(error);
      }
    });
    listener(request, response);
    if (body.length > 0) request.push(body);
    request.complete = true;
    request.push(null);
  });
}

/** The part of a connection that a listener sees. */
class Line extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly encrypted = false;

  override _read(): void {
    // Nothing is read from it, because the request is handed over whole.
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  setTimeout(): this {
    return this;
  }
}

/** Records everything that is written into the body, and sends it. */
function keepChunks(response: ServerResponse, chunks: Buffer[]): void {
  const { write, end } = response;
  const keep = (chunk: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
  };
  response.write = (...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(write, response, given);
  };
  response.end = (...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(end, response, given);
  };
}
