import { Agent, request } from "undici";

/** Why a party's answer cannot be used. */
export type UnansweredReason = "no_connection" | "no_end_in_time" | "too_long" | "redirect" | "no_json";

/** Thrown when a party gave no usable answer. Whether it acted on the request is unknown. */
export class PartyUnanswered extends Error {
  override readonly name = "PartyUnanswered";
  readonly code: UnansweredReason;

  constructor(code: UnansweredReason, options?: ErrorOptions) {
    super("The party gave no usable answer.", options);
    this.code = code;
  }
}

export interface PartyRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** After the base address; encode what it contains. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PartyAnswer {
  readonly status: number;
  /** The parsed JSON, not yet validated; undefined if the body is empty, or is not JSON in an error. */
  readonly body: unknown;
}

/** Calls a party over HTTP. */
export interface PartyClient {
  /** The answer with its status, whatever that is. Throws `PartyUnanswered`. */
  send(request: PartyRequest): Promise<PartyAnswer>;
  /** Waits for running requests, then closes the connections. */
  close(): Promise<void>;
}

export interface PartyClientConfig {
  readonly baseUrl: string;
  /** Sent with every request: the party's credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that sign a body, of its exact text. */
  readonly sign?: (body: string) => Readonly<Record<string, string>>;
  /** From the first byte sent to the last byte read. The service waits 10 seconds for a connector. */
  readonly timeoutMs?: number;
  readonly answerBytesMax?: number;
}

/** Leaves the connector a second to store and answer. */
const TIMEOUT_MS = 9_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** Follows no redirect, uses no proxy of the environment, retries nothing, and bounds time and size of an answer. */
export function createPartyClient({
  baseUrl,
  headers,
  sign,
  timeoutMs = TIMEOUT_MS,
  answerBytesMax = ANSWER_BYTES_MAX,
}: PartyClientConfig): PartyClient {
  const agent = new Agent({ connections: 64, pipelining: 1, allowH2: false });
  return {
    async send({ method, path, body, headers: own }) {
      const signal = AbortSignal.timeout(timeoutMs);
      const text = body === undefined ? undefined : JSON.stringify(body);
      const signed = text === undefined ? {} : sign?.(text);
      try {
        const answer = await request(`${baseUrl.replace(/\/$/, "")}${path}`, {
          dispatcher: agent,
          method,
          signal,
          headers: { accept: "application/json", "content-type": "application/json", ...headers, ...own, ...signed },
          ...(text === undefined ? {} : { body: text }),
        });
        const answered = await readBounded(answer.body, answerBytesMax);
        return { status: answer.statusCode, body: readBody(answer.statusCode, answered) };
      } catch (error) {
        if (error instanceof PartyUnanswered) throw error;
        throw new PartyUnanswered(signal.aborted ? "no_end_in_time" : "no_connection", { cause: error });
      }
    },
    close: () => agent.close(),
  };
}

async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Throwing out of the loop closes the connection.
    if (bytes > bytesMax) throw new PartyUnanswered("too_long");
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function readBody(status: number, text: string): unknown {
  if (status >= 300 && status < 400) throw new PartyUnanswered("redirect");
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (status >= 400) return undefined;
    throw new PartyUnanswered("no_json", { cause });
  }
}
