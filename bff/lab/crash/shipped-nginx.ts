import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Certificate } from "./certificate.ts";
import { type Nginx, startNginx } from "./nginx.ts";

/** The shipped file. */
export const SHIPPED_NGINX = fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url));

const SHIPPED_CONNECTORS_NGINX = fileURLToPath(new URL("../../deploy/nginx-connectors.conf", import.meta.url));

const SHIPPED_CONSOLE_NGINX = fileURLToPath(new URL("../../deploy/nginx-console.conf", import.meta.url));

/** The ports of the faces in that file, in its order. */
const WRITTEN_PORTS = ["4010", "4020", "4030"];

export interface ShippedNginxOptions {
  /** The folder for everything that it writes. */
  readonly folder: string;
  readonly certificate: Certificate;
  /** The ports on which it listens: order API, spot API, widget host. */
  readonly fronts: readonly number[];
  /** The ports of each of the two processes, in the same order. */
  readonly behind: readonly (readonly number[])[];
  /** Another copy of the file. */
  readonly file?: string;
  /** The port behind each address of the connectors, which are added to `fronts`; null leaves them out. */
  readonly connectors?: number | null;
}

/** Starts nginx with the shipped configuration, replacing only addresses, ports and paths. */
export async function startShippedNginx(options: ShippedNginxOptions): Promise<Nginx> {
  const { folder, fronts, file = SHIPPED_NGINX, connectors = null } = options;
  const files = [file, ...(connectors === null ? [] : [SHIPPED_CONNECTORS_NGINX])];
  const written = (await Promise.all(files.map((each) => readFile(each, "utf8")))).join("");
  const here = written.replaceAll(/http:\/\/172\.30\.90\.\d+:\d+/g, `http://127.0.0.1:${connectors}`);
  return startNginx(folder, fronts, withOwnAddresses(here, options));
}

/** Starts the console's nginx in the same way. */
export async function startShippedConsoleNginx({
  front,
  behind,
  ...place
}: Pick<ShippedNginxOptions, "folder"> & {
  readonly certificate: Pick<Certificate, "certPath" | "keyPath">;
  readonly front: number;
  readonly behind: number;
}): Promise<Nginx> {
  const written = await readFile(SHIPPED_CONSOLE_NGINX, "utf8");
  const http = withOwnFiles(written, place)
    .replace("listen 8443 ssl", `listen 127.0.0.1:${front} ssl`)
    .replace("http://console:4060", `http://127.0.0.1:${behind}`);
  return startNginx(place.folder, [front], http);
}

function withOwnAddresses(written: string, { fronts, behind, ...place }: ShippedNginxOptions): string {
  const left = [...fronts];
  return withOwnFiles(withProcesses(written, behind), place).replaceAll(
    /listen \d+ ssl/g,
    () => `listen 127.0.0.1:${left.shift()} ssl`,
  );
}

function withOwnFiles(
  written: string,
  { folder, certificate }: { readonly folder: string; readonly certificate: Pick<Certificate, "certPath" | "keyPath"> },
): string {
  return written
    .replace("/dev/stdout", `${folder}/nginx/access.log`)
    .replace("/run/secrets/certificate.pem", certificate.certPath)
    .replace("/run/secrets/certificate-key.pem", certificate.keyPath);
}

/** The configuration with the addresses of two processes, each with one port per API and for the widget. */
export function withProcesses(written: string, behind: readonly (readonly number[])[]): string {
  return written.replaceAll(/\baapd-(\d):(\d+)/g, (_whole, number: string, port: string) => {
    return `127.0.0.1:${behind[Number(number) - 1]?.[WRITTEN_PORTS.indexOf(port)]}`;
  });
}
