import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { esCl } from "../../words/es-cl.ts";
import { WordsProvider } from "../../words/words-context.tsx";
import { DocumentPictures } from "./document-picture.tsx";

it("the document picture shows one current identity card at a time", async () => {
  const user = userEvent.setup();
  render(
    <WordsProvider value={esCl}>
      <DocumentPictures />
    </WordsProvider>,
  );
  expect(screen.getByText("Cédula de 2013 a 2024")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Ver la más nueva" }));
  expect(screen.getByText("Cédula desde diciembre de 2024")).toBeTruthy();
  expect(screen.queryByText("Cédula de 2013 a 2024")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Ver la de 2013 a 2024" }));
  expect(screen.getByText("Cédula de 2013 a 2024")).toBeTruthy();
});
