import type { Endpoint } from "../../contract/endpoint.ts";

const methods = { GET: "get", POST: "post", PUT: "put", DELETE: "delete" } as const;

/** The name of Express's function that mounts an endpoint's method. */
export function expressMethod({ method }: Pick<Endpoint, "method">): (typeof methods)[Endpoint["method"]] {
  return methods[method];
}

/** `/orders/{hash}/payment` → `/orders/:hash/payment` */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** `/orders/{hash}/payment` → `/orders/5a4f…/payment` */
export function concretePath({ path }: Pick<Endpoint, "path">, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ""));
}
