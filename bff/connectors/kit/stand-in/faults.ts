import type express from "express";

/**
 * Without effect: `dropped`, `failed` (500), `timed_out` (408), `limited` (429, whose body ends early). All others
 * take effect. `lost` closes the connection without an answer, `error` answers 500, `silent` never answers, and
 * `twice` takes effect twice.
 */
export type FaultKind =
  | "lost"
  | "dropped"
  | "error"
  | "failed"
  | "timed_out"
  | "limited"
  | "silent"
  | "twice"
  | "redirect"
  | "html"
  | "endless";

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

type Change = (body: unknown, request: express.Request) => unknown;

export interface Faults {
  /** The next request to a route has this fault. */
  add(route: string, kind: FaultKind): void;
  /** The next request to a route takes effect, and its answer has another body. */
  change(route: string, change: Change): void;
  wrap(route: string, act: (request: express.Request) => Answer): express.RequestHandler;
}

export function createFaults(): Faults {
  const waiting: { readonly route: string; readonly kind: FaultKind }[] = [];
  const changes: { readonly route: string; readonly change: Change }[] = [];
  const changed = (route: string, answer: Answer, request: express.Request): Answer => {
    const index = changes.findIndex((each) => each.route === route);
    const [taken] = index === -1 ? [] : changes.splice(index, 1);
    return taken === undefined ? answer : { ...answer, body: taken.change(answer.body, request) };
  };
  const take = (route: string) => {
    const index = waiting.findIndex((fault) => fault.route === route);
    return index === -1 ? null : (waiting.splice(index, 1)[0]?.kind ?? null);
  };
  return {
    add: (route, kind) => void waiting.push({ route, kind }),
    change: (route, change) => void changes.push({ route, change }),
    wrap: (route, act) => (request, response) => {
      const kind = take(route);
      if (kind === "dropped") return void response.destroy();
      if (kind === "failed") return void response.status(500).json({ description: "Internal server error" });
      if (kind === "timed_out") return void response.status(408).json({ description: "Request Timeout" });
      if (kind === "limited") return cutShort(response.status(429));
      const answer = changed(route, act(request), request);
      if (kind === "twice") act(request);
      send(response, answer, kind);
    },
  };
}

function cutShort(response: express.Response): void {
  response
    .set("content-length", "200")
    .type("json")
    .write('{"error":{"code":"rate', () => response.destroy());
}

function send(response: express.Response, { status, body }: Answer, kind: FaultKind | null): void {
  switch (kind) {
    case "lost":
      return void response.destroy();
    case "silent":
      return;
    case "error":
      return void response.status(500).json({ description: "Internal server error" });
    case "redirect":
      return void response.redirect(302, "http://127.0.0.1:9/elsewhere");
    case "html":
      return void response.type("html").send("<!doctype html><title>Mantención</title>");
    case "endless":
      return void response.json({ padding: "x".repeat(2 * 1024 * 1024) });
    default:
      response.status(status);
      if (body === undefined) response.end();
      else response.json(body);
  }
}
