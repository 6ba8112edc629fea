/*
 * Adds to each sample a button that copies it, and opens in every group of tabs the language that was chosen last.
 * Without this script the pages have everything else.
 */
const isSpanish = document.documentElement.lang.startsWith("es");
const COPY = isSpanish ? "Copiar" : "Copy";
const COPIED = isSpanish ? "Copiado" : "Copied";
const LANGUAGE_KEY = "aapd-docs-language";

if (navigator.clipboard) for (const sample of document.querySelectorAll(".sample")) addCopyButton(sample);

const tabs = [...document.querySelectorAll(".tabs > input")];
for (const tab of tabs) tab.addEventListener("change", () => choose(tab.value));
choose(remembered());

function addCopyButton(sample) {
  const code = sample.querySelector("pre");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = COPY;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = COPIED;
      setTimeout(() => (button.textContent = COPY), 2_000);
    } catch {
      // The browser forbids it: select the sample, so that a key can copy it.
      getSelection().selectAllChildren(code);
    }
  });
  sample.append(button);
}

function choose(language) {
  if (language === null) return;
  for (const tab of tabs) if (tab.value === language) tab.checked = true;
  try {
    localStorage.setItem(LANGUAGE_KEY, language);
  } catch {
    // The browser keeps nothing: the choice holds for this page.
  }
}

function remembered() {
  try {
    return localStorage.getItem(LANGUAGE_KEY);
  } catch {
    return null;
  }
}
