export const metadata = { title: "Tu consulta" };

export default function Layout({ children }) {
  return (
    <html lang="es-CL">
      <body>{children}</body>
    </html>
  );
}
