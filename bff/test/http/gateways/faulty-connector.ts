import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";

/** A request to a connector, and a function that forwards it to the correct one. */
export interface Exchange {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly key: string;
  readonly text: string;
  /** The body as JSON, or an empty object if it is not JSON. */
  readonly body: Body;
  forward(changed?: {
    readonly body?: Body;
    readonly headers?: Record<string, string>;
    readonly path?: string;
  }): Promise<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: a fault looks at bodies of every operation.
export type Body = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly body: Body;
  readonly headers?: Record<string, string>;
}

/** The faulty answer. `null` never answers; `undefined` forwards to the correct connector. */
export type Fault = (exchange: Exchange) => Promise<Answer | null | undefined>;

export interface FaultyConnector {
  readonly url: string;
  close(): Promise<void>;
}

/** A connector with one fault, in front of a correct one. */
export async function startFaultyConnector(good: string, fault: Fault): Promise<FaultyConnector> {
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const exchange = exchangeOf(good, {
      path: request.url ?? "",
      headers: request.headers,
      text: Buffer.concat(chunks).toString(),
    });
    const answer = await fault(exchange).then((given) => (given === undefined ? exchange.forward() : given));
    if (answer === null) return;
    const headers = { "content-type": "application/json", ...answer.headers };
    if (answer.status === 0) response.destroy();
    else response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => void answerTo(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The test server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function exchangeOf(
  good: string,
  asked: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string },
): Exchange {
  const { "content-length": _length, connection: _connection, host: _host, ...headers } = asked.headers;
  return {
    ...asked,
    key: String(asked.headers["idempotency-key"] ?? ""),
    body: readBody(asked.text),
    async forward({ body, headers: changed, path = asked.path } = {}) {
      const sent = body === undefined ? asked.text : JSON.stringify(body);
      const answer = await fetch(`${good}${path}`, {
        method: "POST",
        headers: { ...(headers as Record<string, string>), ...changed },
        body: sent,
      }).catch(() => null);
      // The correct connector closes the connection if it has no answer.
      if (answer === null) return { status: 0, body: {} };
      return { status: answer.status, body: (await answer.json()) as Body };
    },
  };
}

function readBody(text: string): Body {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
