import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

/** The minimum of a frame made with React: a title, an amount, one button. */
function BarePage() {
  const [isOver, setIsOver] = useState(false);
  if (isOver) return <h1>Listo</h1>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
    >
      <h1>Una página de React</h1>
      <p>Hoy pagas $11.697</p>
      <button type="submit">Continuar</button>
    </form>
  );
}

const element = document.getElementById("app");
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <BarePage />
    </StrictMode>,
  );
}
