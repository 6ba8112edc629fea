import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, setGlobalDispatcher } from "undici";
import type { ProductionUrls } from "./buy-once.ts";
import { withProcesses } from "./shipped-nginx.ts";

/** The domain of the hosts in `bff/deploy/nginx.conf`, below which each cell has a name. */
const DOMAIN = "aapd.example.com";
export interface CellBehind {
  readonly name: string;
  /** The ports of each of its processes: order API, spot API, widget host. */
  readonly processes: readonly (readonly number[])[];
}

/** The addresses of a cell: a separate host for each API and the widget. */
export function urlsOfCell(name: string, port: number): ProductionUrls {
  const at = (face: string) => `http://${face}.${name}.${DOMAIN}:${port}`;
  return { order: at("api"), spot: at("backend"), widget: at("checkout") };
}

/** A host that belongs to no cell. */
export const unknownHost = (port: number): string => `http://api.${DOMAIN}:${port}`;

/**
 * The one nginx in front of all cells. Repeats the servers of `bff/deploy/nginx.conf` for each cell, under the cell's
 * hosts and without TLS. It answers other hosts 421 (Misdirected Request).
 */
export function cellsRouter(written: string, port: number, cells: readonly CellBehind[]): string {
  const begin = written.search(/^upstream /m);
  const common = written.slice(0, begin).replaceAll(/^(?:ssl_|access_log).*$/gm, "");
  const isUnknown = `server { listen 127.0.0.1:${port} default_server; return 421; }`;
  const serversOf = ({ name, processes }: CellBehind) =>
    withProcesses(written.slice(begin), processes)
      .replaceAll(/\b(order_api|spot_api|widget_host)(_\d)?\b/g, `$1_${name}$2`)
      .replaceAll(/server_name (\w+)\./g, `server_name $1.${name}.`)
      .replaceAll(/listen \d+ ssl/g, `listen 127.0.0.1:${port}`);
  return ["access_log off;", common, isUnknown, ...cells.map(serversOf)].join("\n");
}

/** Resolves the cells' hosts to this machine in this process, as DNS does in production. */
export function findHostsHere(): void {
  const here: LookupFunction = (hostname, options, done) => {
    const address = hostname.endsWith(DOMAIN) ? "127.0.0.1" : hostname;
    lookup(address, options, done);
  };
  setGlobalDispatcher(new Agent({ connect: { lookup: here } }));
}
