/**
 * This folder is the clinic's page: the shop, the front desk, the checkout, the delivered webhooks, the gallery and the
 * scenarios. It also has the playground for the checkout's look, and the doctor's findings about the integration.
 */

import { useEffect, useState } from "react";
import type { Purchase } from "../backend/purchase.ts";
import { findScenario } from "../scenarios/catalogue.ts";
import styles from "./app.module.css";
import { AppearancePage } from "./appearance/appearance-page.tsx";
import { CheckoutPage } from "./checkout/checkout-page.tsx";
import { type CheckoutAddress, preloadFrom } from "./checkout/embed-kit.ts";
import { type ClinicFacts, type DeskCode, readClinic, readPurchases, startCheckout, wordsOf } from "./clinic-api.ts";
import { DeliveriesPage } from "./deliveries/deliveries-page.tsx";
import { DeskForm } from "./desk/desk-form.tsx";
import { DeskTicket } from "./desk/desk-ticket.tsx";
import { ExaminationPage } from "./examination/examination-page.tsx";
import { GalleryPage } from "./gallery/gallery-page.tsx";
import { addressAtDesk, addressOfPurchase, type Place, placeInAddress, scenarioInAddress } from "./page-address.ts";
import { ScenariosPage } from "./scenarios/scenarios-page.tsx";
import { type BegunPurchase, createIntendedPurchase } from "./shop/intended-purchase.ts";
import { Shop, visitorOf } from "./shop/shop.tsx";

const SECTIONS = [
  { at: "shop", href: "#/", text: "Reservar" },
  { at: "desk", href: "#/meson", text: "Mesón" },
  { at: "scenarios", href: "#/escenarios", text: "Escenarios" },
  { at: "gallery", href: "#/galeria", text: "Galería" },
  { at: "appearance", href: "#/apariencia", text: "Apariencia" },
  { at: "deliveries", href: "#/entregas", text: "Entregas" },
  { at: "examination", href: "#/revision", text: "Revisión" },
] as const;

const CONTENT = "contenido";

const TITLES: Readonly<Record<Place["at"], string>> = {
  shop: "Reserva tu atención",
  purchase: "Paga tu atención",
  desk: "Cobra en el mesón",
  scenarios: "Escenarios",
  gallery: "Galería",
  appearance: "Apariencia",
  deliveries: "Entregas",
  examination: "Revisión",
};

function usePlace(): Place {
  const [place, setPlace] = useState(() => placeInAddress(window.location.hash));
  useEffect(() => {
    const follow = () => setPlace(placeInAddress(window.location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  // A new place starts at its top, even if the previous one was scrolled down.
  useEffect(() => {
    window.scrollTo(0, 0);
    document.title = `${TITLES[place.at]} · Clínica Los Aromos del Sur`;
  }, [place.at]);
  return place;
}

/** The purchase that this page has just begun, and its checkout; after a reload a new URL is requested. */
type Begun = BegunPurchase<CheckoutAddress>;

interface ContentProps {
  readonly place: Place;
  readonly facts: ClinicFacts;
  /** For the shop; null until they are loaded. */
  readonly purchases: readonly Purchase[] | null;
}

function Content({ place, facts, purchases }: ContentProps) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [shownCode, setShownCode] = useState<{ readonly id: string; readonly code: DeskCode } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [scenario] = useState(() => findScenario(scenarioInAddress(window.location.search) ?? ""));
  const [visitor] = useState(() => visitorOf(scenario));
  const [intended] = useState(() =>
    createIntendedPurchase<CheckoutAddress>(async (service, person) => {
      const { id, url } = await startCheckout(service, person);
      return { id, url: await preloadFrom(facts.widgetHostUrl, url) };
    }),
  );

  switch (place.at) {
    case "purchase":
      return (
        <CheckoutPage
          key={place.id}
          facts={facts}
          id={place.id}
          firstUrl={begun?.id === place.id ? begun.url : null}
          scenario={scenario}
        />
      );
    case "desk":
      return place.id === null ? (
        <DeskForm
          people={facts.people}
          onBegun={({ id, ...code }) => {
            setShownCode({ id, code });
            window.location.hash = addressAtDesk(id);
          }}
        />
      ) : (
        <DeskTicket
          key={place.id}
          id={place.id}
          firstCode={shownCode?.id === place.id ? shownCode.code : null}
          onOpenHere={(id, url) => {
            setBegun({ id, url });
            window.location.hash = addressOfPurchase(id);
          }}
        />
      );
    case "scenarios":
      return <ScenariosPage />;
    case "gallery":
      return <GalleryPage widgetHostUrl={facts.widgetHostUrl} settings={place.settings} />;
    case "appearance":
      return <AppearancePage widgetHostUrl={facts.widgetHostUrl} settings={place.settings} />;
    case "deliveries":
      return <DeliveriesPage />;
    case "examination":
      return <ExaminationPage />;
    case "shop":
      if (purchases === null) return null;
      return (
        <Shop
          facts={facts}
          purchases={purchases}
          scenario={scenario}
          visitor={visitor}
          failure={failure}
          onIntent={intended.expect}
          onPayLater={async (service, person) => {
            setFailure(null);
            try {
              const started = await intended.begin(service, person);
              setBegun(started);
              window.location.hash = addressOfPurchase(started.id);
            } catch (error) {
              setFailure(wordsOf(error));
            }
          }}
        />
      );
  }
}

export function App() {
  const place = usePlace();
  const [facts, setFacts] = useState<ClinicFacts | null>(null);
  const [purchases, setPurchases] = useState<readonly Purchase[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    readClinic().then(setFacts, (error: unknown) => setFailure(wordsOf(error)));
  }, []);
  // The shop's list is read again whenever the user returns to it, because purchases may have been paid meanwhile.
  const isAtShop = place.at === "shop";
  useEffect(() => {
    if (isAtShop) readPurchases().then(setPurchases, (error: unknown) => setFailure(wordsOf(error)));
  }, [isAtShop]);

  return (
    <div className={styles.page} data-place={place.at}>
      <button type="button" className={styles.skip} onClick={() => document.getElementById(CONTENT)?.focus()}>
        Saltar al contenido
      </button>
      <header className={styles.header}>
        <a className={styles.brand} href="#/">
          <img src="/favicon.svg" alt="" width="36" height="36" />
          <span>Clínica Los Aromos del Sur</span>
        </a>
        <nav className={styles.sections} aria-label="Secciones">
          {SECTIONS.map(({ at, href, text }) => (
            <a key={at} href={href} data-text={text} aria-current={at === place.at ? "page" : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <p className={styles.sandbox}>Ambiente de prueba</p>
      </header>
      <main className={styles.main} id={CONTENT} tabIndex={-1} aria-label={TITLES[place.at]}>
        {failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        {facts !== null && <Content place={place} facts={facts} purchases={purchases} />}
      </main>
      {/* The footer is shown only once the content is loaded, so that the content does not push it down. */}
      {facts !== null && place.at !== "purchase" && !(isAtShop && purchases === null) && (
        <footer className={styles.footer}>
          {facts.clinic.name} · RUT {facts.clinic.rut} · Una clínica inventada, para probar: nada se cobra de verdad.
        </footer>
      )}
    </div>
  );
}
