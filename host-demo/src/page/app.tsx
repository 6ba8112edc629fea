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
import {
  addressAtDesk,
  addressOfPurchase,
  addressOfView,
  type Place,
  placeInAddress,
  scenarioInAddress,
  type View,
  viewInAddress,
} from "./page-address.ts";
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
  // A new view starts at its top, even if the previous one was scrolled down.
  useEffect(() => {
    window.scrollTo(0, 0);
    document.title = `${TITLES[place.at]} · Clínica Los Aromos del Sur`;
  }, [place.at]);
  return place;
}

/** The current view, and a function that switches it in place and keeps all choices and input. */
function useView(): readonly [View, (view: View) => void] {
  const [view, setView] = useState(() => viewInAddress(window.location.search));
  const show = (wanted: View): void => {
    window.history.replaceState(window.history.state, "", addressOfView(wanted, window.location));
    setView(wanted);
    // The button that was pressed is gone.
    document.getElementById(CONTENT)?.focus();
  };
  return [view, show];
}

/** Whether patients also see this view. The others are for testers only. */
function hasPatientView({ at }: Place): boolean {
  return at === "shop" || at === "purchase";
}

/** The purchase that this page has just begun, and its checkout; after a reload a new URL is requested. */
type Begun = BegunPurchase<CheckoutAddress>;

interface ContentProps {
  readonly place: Place;
  readonly view: View;
  readonly facts: ClinicFacts;
  /** For the shop; null until loaded. */
  readonly purchases: readonly Purchase[] | null;
}

function Content({ place, view, facts, purchases }: ContentProps) {
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
          view={view}
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
      return <GalleryPage facts={facts} settings={place.settings} />;
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
          view={view}
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

interface HeaderProps {
  readonly place: Place;
  readonly view: View;
  readonly onView: (view: View) => void;
}

function Header({ place, view, onView }: HeaderProps) {
  const hasViews = hasPatientView(place);
  return (
    <header className={styles.header}>
      <a className={styles.brand} href="#/">
        <img src="/favicon.svg" alt="" width="36" height="36" />
        <span>Clínica Los Aromos del Sur</span>
      </a>
      {view === "bench" && (
        <>
          <nav className={styles.sections} aria-label="Secciones">
            {SECTIONS.map(({ at, href, text }) => (
              <a key={at} href={href} data-text={text} aria-current={at === place.at ? "page" : undefined}>
                {text}
              </a>
            ))}
            {hasViews && (
              <button type="button" className={styles.view} onClick={() => onView("patient")}>
                Vista de paciente
              </button>
            )}
          </nav>
          {!hasViews && <p className={styles.sandbox}>Ambiente de prueba</p>}
        </>
      )}
    </header>
  );
}

interface FooterProps extends Omit<HeaderProps, "place"> {
  readonly clinic: ClinicFacts["clinic"];
}

function Footer({ clinic, view, onView }: FooterProps) {
  return (
    <footer className={styles.footer}>
      <span>
        {clinic.name} · RUT {clinic.rut} · Una clínica inventada, para probar: nada se cobra de verdad.
      </span>
      {view === "patient" && (
        <button type="button" className={styles.view} onClick={() => onView("bench")}>
          Banco de pruebas
        </button>
      )}
    </footer>
  );
}

export function App() {
  const place = usePlace();
  const [chosenView, show] = useView();
  const view = hasPatientView(place) ? chosenView : "bench";
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
    <div className={styles.page} data-place={place.at} data-view={view}>
      <button type="button" className={styles.skip} onClick={() => document.getElementById(CONTENT)?.focus()}>
        Saltar al contenido
      </button>
      <Header place={place} view={view} onView={show} />
      <main className={styles.main} id={CONTENT} tabIndex={-1} aria-label={TITLES[place.at]}>
        {failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        {facts !== null && <Content place={place} view={view} facts={facts} purchases={purchases} />}
      </main>
      {/* The footer is shown only once the content is loaded, so that the content does not push it down. */}
      {facts !== null && (place.at !== "purchase" || view === "patient") && !(isAtShop && purchases === null) && (
        <Footer clinic={facts.clinic} view={view} onView={show} />
      )}
    </div>
  );
}
