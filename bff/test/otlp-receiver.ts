import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as an OpenTelemetry collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code: number };
  /** The `service.name` of its resource. */
  readonly service: string;
}

export interface OtlpReceiver {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  /** All received bodies, unparsed. */
  readonly bodies: string[];
  /** Sets the status of all further answers. */
  answer(status: number): void;
  close(): Promise<void>;
}

interface Sent {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: ReceivedSpan[] }[];
  }[];
}

/** Receives OTLP over HTTP in JSON, on this machine. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const isTraces = request.url === "/v1/traces" && request.headers["content-type"] === "application/json";
      if (isTraces) keep(Buffer.concat(chunks).toString());
      response.writeHead(isTraces ? status : 404, { "content-type": "application/json" }).end("{}");
    });
  });
  const keep = (body: string) => {
    bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service })));
    }
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    answer(next) {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
