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
