// biome-ignore-all lint/suspicious/noExplicitAny: drafts are changed in ways that no type allows.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CONNECTOR_FILE,
  type ConnectorProtocol,
  codeConnectorProtocol,
  connectorDifferences,
  connectorProtocolText,
  parseConnectorProtocol,
  wrongVersion,
} from "./connector-protocol.ts";

const now = codeConnectorProtocol();
/** The protocol with a change. */
function changed(change: (draft: any) => void): ConnectorProtocol {
  const draft = structuredClone(now);
  change(draft);
  return draft;
}
const inputOf = (draft: any, path: string) => draft.sent[path].properties.input;
const outcomesOf = (draft: any, path: string) => draft.taken[path].oneOf;

describe("the released connector protocol", () => {
  it("equals that of the code", () => {
    expect(readFileSync(CONNECTOR_FILE, "utf8")).toBe(connectorProtocolText(now));
    expect(parseConnectorProtocol(JSON.parse(connectorProtocolText(now)))).toEqual(now);
  });

  it("contains no descriptions", () => expect(JSON.stringify(now)).not.toContain('"description"'));
});

describe("a change that needs a higher protocol version", () => {
  it.each<[string, boolean, (draft: any) => void]>([
    ["a field that is no longer sent", true, (draft) => delete inputOf(draft, "/bank/transfer").properties.reference],
    [
      "another operation",
      false,
      (draft) => {
        draft.sent["/bank/close"] = { type: "object" };
        draft.taken["/bank/close"] = { type: "object" };
      },
    ],
    ["an operation that is gone", true, (draft) => delete draft.sent["/bank/transfer"]],
    [
      "a field more that is sent",
      false,
      (draft) => {
        inputOf(draft, "/bank/transfer").properties.memo = { type: "string" };
      },
    ],
    ["an outcome that is taken no longer", true, (draft) => outcomesOf(draft, "/card-processor/charge").pop()],
    [
      "an outcome more that is taken",
      false,
      (draft) =>
        outcomesOf(draft, "/card-processor/charge").push({
          type: "object",
          properties: { outcome: { type: "string", enum: ["waits"] } },
          required: ["outcome"],
        }),
    ],
    [
      "a field more that an answer must have",
      true,
      (draft) => {
        const [captured] = outcomesOf(draft, "/card-processor/charge");
        captured.properties.authorisation = { type: "string" };
        captured.required.push("authorisation");
      },
    ],
  ])("%s", (_what, breaks, change) => {
    const differences = connectorDifferences(now, changed(change));
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.some((difference) => difference.breaks)).toBe(breaks);
    expect(wrongVersion("1.4.0", "1.4.0", differences)).not.toBeNull();
    expect(wrongVersion("1.4.0", "1.5.0", differences) === null).toBe(!breaks);
    expect(wrongVersion("1.4.0", "2.0.0", differences)).toBeNull();
    // A lower number does not announce the change.
    expect(wrongVersion("2.4.0", "1.9.0", differences)).not.toBeNull();
  });

  it("unchanged protocols have no differences", () => {
    expect(connectorDifferences(now, now)).toEqual([]);
    expect(wrongVersion("1.4.0", "1.4.0", [])).toBeNull();
  });
});
