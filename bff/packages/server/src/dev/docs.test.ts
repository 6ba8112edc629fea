import { describe, expect, it } from "vitest";
import { passagesOf } from "./docs.ts";

describe("the passages of a page of the guide", () => {
  it("are under its headings; a comment in a sample is none", () => {
    const page =
      "# Webhooks\n\nSigned JSON.\n\n## Verify\n\n```text tab Ruby\n# Is it ours?\ndef genuine\n```\n\nThen parse.\n";
    expect(passagesOf("/docs/webhooks.md", page)).toEqual([
      { address: "/docs/webhooks.md", heading: "Webhooks", text: "Signed JSON." },
      {
        address: "/docs/webhooks.md",
        heading: "Verify",
        text: "```text tab Ruby\n# Is it ours?\ndef genuine\n```\n\nThen parse.",
      },
    ]);
  });
});
