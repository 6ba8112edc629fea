import { createServer } from "node:net";

/** A port on which a part of the product listens, and the variable that sets it. */
export interface NamedPort {
  readonly variable: string;
  readonly port: number;
}

function isFree(port: number, bind: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, bind, () => probe.close(() => resolve(true)));
  });
}

/** The ports that are in use by other programs. Port 0 (any free port) never is. */
export async function takenPorts(ports: readonly NamedPort[], bind: string): Promise<readonly NamedPort[]> {
  const free = await Promise.all(ports.map(({ port }) => (port === 0 ? Promise.resolve(true) : isFree(port, bind))));
  return ports.filter((_, index) => free[index] === false);
}
