import { join } from "node:path";
import { openApiDocument } from "../../src/partner-docs/openapi.ts";
import { packageFolder } from "../../src/platform/program.ts";
import { frameMessages, readProtocol } from "./frame-messages.ts";
import { type Interface, interfaceOf } from "./interface.ts";

/** The interface as it was released. */
export const INTERFACE_FILE = join(packageFolder, "lab/changes/released/interface.json");

/** The interface that the code defines: staging's, which includes all of production's. */
export function codeInterface(): Interface {
  const document = openApiDocument({
    environment: "staging",
    orderApiUrl: "https://order.example",
    spotApiUrl: "https://spot.example",
    widgetHostUrl: "https://widget.example",
    signatureWord: "Service",
  });
  return interfaceOf(document, frameMessages(readProtocol()));
}
