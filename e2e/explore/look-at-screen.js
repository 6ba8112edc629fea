// Runs in the checkout's frame as it is; its value is a `Screen`.
(() => {
  const isShown = (element) => element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
  const faults = [];
  for (const field of all("input, select, textarea")) {
    const isNamed = field.labels?.length > 0 || field.ariaLabel || field.getAttribute("aria-labelledby");
    if (!isNamed) faults.push(`a field has no label: ${field.name || field.id}`);
    for (const id of (field.getAttribute("aria-describedby") ?? "").split(/\s+/).filter(Boolean)) {
      if (document.getElementById(id) === null) faults.push(`a field is described by what is not there: ${id}`);
    }
  }
  for (const button of all("button, a[href]")) {
    if (!button.textContent?.trim() && !button.ariaLabel) faults.push("a button or a link has no name");
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) faults.push(`two elements have the id ${twice}`);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) faults.push("the screen is wider than its frame");
  const amounts = {};
  for (const label of all("dt")) {
    const value = label.parentElement.querySelector("dd")?.textContent ?? "";
    if (value.includes("$")) amounts[label.textContent] = value;
  }
  const buttons = all("button").filter(({ disabled, ariaDisabled }) => !disabled && ariaDisabled !== "true");
  return {
    locale: root.lang,
    heading: all("h1")[0]?.textContent ?? "",
    title: document.title,
    isFocusLost: document.activeElement === null || document.activeElement === document.body,
    isBusy: document.querySelector("[aria-busy=true]") !== null,
    alerts: all("[role=alert], [aria-invalid=true]")
      .map((element) => `${element.id} ${element.textContent ?? ""}`)
      .join("|"),
    faults,
    text: all("h1, h2, h3, p, li, dd, label, button, legend")
      .map(({ textContent }) => textContent)
      .join("\n"),
    amounts,
    pays: buttons.some(({ textContent }) => /^(Pagar|Pay) \$/.test(textContent)),
    ways: buttons.length + all("a[href], input, select, summary").length,
    ticked: all("input[type=checkbox]:checked").map(({ id, name }) => name || id),
    typed: Object.fromEntries(
      all("input:not([type=checkbox]), select")
        .filter(({ value }) => value !== "")
        .map(({ id, name, value }) => [name || id, value]),
    ),
  };
})();
