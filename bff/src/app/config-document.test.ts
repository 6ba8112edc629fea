import { expect, it } from "vitest";
import { writeConfiguration } from "../../test/config-document.ts";

it("the reference of the configuration is written from the variables", async () => {
  await expect(writeConfiguration()).toMatchFileSnapshot("../../docs/reference/configuration.md");
});
