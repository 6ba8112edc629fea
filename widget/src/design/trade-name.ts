const LEGAL_FORM = /[\s,]+(S\.?p\.?A\.?|SPA|S\.?\s?A\.?|(?:Ltda|LTDA)\.?|(?:L|l)imitada|LIMITADA|E\.?I\.?R\.?L\.?)$/;

/** A clinic's registered name without its legal form: `Clínica Los Aromos SpA` → `Clínica Los Aromos`. */
export function tradeName(registeredName: string): string {
  return registeredName.replace(LEGAL_FORM, "");
}
