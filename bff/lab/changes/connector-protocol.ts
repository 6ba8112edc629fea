import { join } from "node:path";
import * as z from "zod/mini";
import { connectorDocument } from "../../connectors/kit/check/protocol-document.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { type Difference, messageDifferences } from "./compare.ts";
import { canonical, withoutWords } from "./interface.ts";

/** The connector protocol as it was released. */
export const CONNECTOR_FILE = join(packageFolder, "lab/changes/released/connector-protocol.json");

const schemas = z.record(z.string(), z.record(z.string(), z.unknown()));
const protocolSchema = z.strictObject({
  version: z.string().check(z.regex(/^\d+\.\d+\.\d+$/)),
  /** By path: the body that the service sends to a connector. */
  sent: schemas,
  /** By path: the answers that it accepts. */
  taken: schemas,
});

/** The part of the protocol that connectors rely on, as stored: without descriptions. */
export type ConnectorProtocol = z.infer<typeof protocolSchema>;

export function parseConnectorProtocol(value: unknown): ConnectorProtocol {
  return z.parse(protocolSchema, value);
}

/** The protocol that the code defines. */
export function codeConnectorProtocol(): ConnectorProtocol {
  const { info, paths } = connectorDocument();
  const bodies = (of: "sent" | "taken") =>
    Object.fromEntries(
      Object.entries(paths).map(([path, { post }]) => {
        const content = of === "sent" ? post?.requestBody?.content : post?.responses["200"]?.content;
        return [path, content?.["application/json"]?.schema];
      }),
    );
  const kept = { version: info.version, sent: bodies("sent"), taken: bodies("taken") };
  return parseConnectorProtocol(canonical(withoutWords(kept)));
}

/** The text of the released file. */
export function connectorProtocolText(protocol: ConnectorProtocol): string {
  return `${JSON.stringify(canonical(protocol), null, 1)}\n`;
}

/** Every difference that a connector can notice. A breaking one makes a correct connector wrong. */
export function connectorDifferences(before: ConnectorProtocol, after: ConnectorProtocol): Difference[] {
  return [
    ...messageDifferences("connector call", "sent", before.sent, after.sent),
    ...messageDifferences("connector answer", "taken", before.taken, after.taken),
  ];
}

/** Why the version does not match the differences, or null if it does. */
export function wrongVersion(before: string, after: string, differences: readonly Difference[]): string | null {
  const [major = 0, minor = 0] = partsOf(before);
  const [newMajor = 0, newMinor = 0] = partsOf(after);
  if (differences.some(({ breaks }) => breaks))
    return newMajor > major ? null : `What breaks connectors raises the first number of ${before}.`;
  const isHigher = newMajor > major || (newMajor === major && newMinor > minor);
  if (differences.length > 0 && !isHigher) return `What is added raises the second number of ${before}.`;
  return null;
}

function partsOf(version: string): number[] {
  return version.split(".").map(Number);
}
