import type { SealingKey } from "../../contract/widget-tokens.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Connector } from "../connector/connector.ts";
import { lastSealingKey } from "../connector/last-sealing-key.ts";
import type { KeptSealingKey } from "../connector/sealing-key-store.ts";
import type { ClaimDocument, InsurerConnector } from "./port.ts";
import { insurerProtocol } from "./protocol.ts";

/** The isapres' portals (private health insurers), behind an insurer connector. */
export function createHttpInsurer({
  connector,
  clock,
  kept,
}: {
  readonly connector: Connector;
  readonly clock: Clock;
  /** Where the last key is kept. */
  readonly kept: KeptSealingKey<SealingKey>;
}): InsurerConnector {
  const protocol = insurerProtocol;
  return {
    sealingKey: lastSealingKey({ clock, kept, read: () => connector.read(protocol.sealingKey, {}) }),
    async fileClaim(call, input) {
      const documents = [];
      for (const document of input.documents) documents.push(await encode(document));
      return connector.call(protocol.fileClaim, call, { ...input, documents });
    },
    inquireFiling: (call) => connector.inquire(protocol.fileClaim, call),
    inquireClaim: (call, input) => connector.call(protocol.claim, call, input),
  };
}

async function encode(document: ClaimDocument): Promise<{ name: string; type: string; content: string }> {
  const content = Buffer.from(await document.read()).toString("base64");
  return { name: document.name, type: document.type, content };
}
