-- The operator's texts that patients agree to with a payment: contract, summary sheet and privacy notice. A version is never
-- changed; of a kind the version whose Spanish text was set last is the present one.
create table legal_texts (
  environment text not null,
  kind text not null,
  version text not null,
  locale text not null,
  text text not null,
  set_at timestamptz not null,
  primary key (environment, kind, version, locale),
  constraint legal_texts_environment check (environment in ('staging', 'production')),
  constraint legal_texts_kind check (kind in ('contract', 'summary_sheet', 'privacy_notice')),
  constraint legal_texts_locale check (locale in ('es-CL', 'en'))
);
create function refuse_changed_legal_text() returns trigger language plpgsql as $$
begin
  raise exception 'a version of a legal text is never changed' using errcode = 'restrict_violation';
end
$$;
create trigger legal_texts_stay before update on legal_texts for each row execute function refuse_changed_legal_text();

-- What the patient was shown and accepted with this attempt: `{locale, texts: [{kind, version}], values: {name: text}}`.
alter table payment_attempts add column agreement jsonb;

-- Samples for staging, each marked as one.
insert into legal_texts (environment, kind, version, locale, set_at, text) values
('staging', 'contract', 'muestra-1', 'es-CL', '2026-01-01T00:00:00Z', $text$
# Contrato de pago en dos partes

Texto de muestra para pruebas. No es un contrato válido.

## Quiénes somos parte

{{clinic}}, RUT {{clinic_rut}}, te da la atención de salud y responde por ella.

{{financing_provider}}, RUT 96.900.004-0, te presta la parte que pagas después. Contacto: creditos@financiera.example.com.

Tú eres {{patient}}, RUT {{patient_rut}}.

## Qué pagas y cuándo

- Precio de la atención (referencia {{reference}}): {{price}}.
- Hoy, con tu tarjeta: {{today}}, el {{first_percentage}}% del precio.
- Después, con la misma tarjeta: {{later_charge}}, que son {{later}} del precio y {{commission}} de comisión ({{commission_percentage}}).
- Costo total: {{total_cost}}. Carga anual equivalente (CAE): {{annual_cost}}.

El segundo cobro se hace una sola vez, cuando pase lo primero de esto: tu isapre aprueba el reembolso; el acceso a tu isapre lleva {{access_blocked_days}} días seguidos bloqueado; llega el día {{latest_day}}, que es el {{latest_date}}. Se hace aunque tu isapre reembolse menos o no reembolse.

## Autorización para cobrar

Nos autorizas a guardar tu tarjeta y a hacer en ella ese solo cobro. Puedes dejar sin efecto esta autorización cuando quieras en Mis datos. La deuda sigue y puedes pagarla de otra forma.

## Si pagas antes o después

Puedes pagar antes cuando quieras: la comisión es la misma. Si tu banco rechaza el segundo cobro, lo intentamos hasta {{charge_tries}} veces en {{charge_days}} días y te avisamos cada vez. El monto no sube por el atraso.

## Retracto

Después de pagar no hay derecho a retracto. Las devoluciones se piden a {{clinic}}.

## Reclamos

Escribe a {{support_email}}. También puedes reclamar ante el Servicio Nacional del Consumidor (SERNAC), en sernac.cl o al 800 700 100.
$text$),
('staging', 'contract', 'muestra-1', 'en', '2026-01-01T00:00:00Z', $text$
# Contract for payment in two parts

Sample text for tests. It is no valid contract.

## The parties

{{clinic}}, RUT {{clinic_rut}}, gives you the consultation and answers for it.

{{financing_provider}}, RUT 96.900.004-0, lends you the part that you pay later. Contact: creditos@financiera.example.com.

You are {{patient}}, RUT {{patient_rut}}.

## What you pay, and when

- Price of the consultation (reference {{reference}}): {{price}}.
- Today, with your card: {{today}}, which is {{first_percentage}}% of the price.
- Later, with the same card: {{later_charge}}, which is {{later}} of the price and {{commission}} of commission ({{commission_percentage}}).
- Total cost: {{total_cost}}. Annual cost (CAE): {{annual_cost}}.

The second charge is made once, when the first of these happens: your isapre approves the reimbursement; the access to your isapre has been blocked for {{access_blocked_days}} days in a row; day {{latest_day}} comes, which is {{latest_date}}. It is made even if your isapre reimburses less, or nothing.

## Authority to charge

You allow us to keep your card and to make that one charge to it. You may revoke this at any time in My data. The debt stays, and you may pay it in another way.

## If you pay earlier or later

You may pay earlier whenever you like: the commission is the same. If your bank declines the second charge, we try up to {{charge_tries}} times in {{charge_days}} days and tell you each time. The amount does not grow with the delay.

## Withdrawal

After you pay there is no right of withdrawal. Refunds are asked for at {{clinic}}.

## Complaints

Write to {{support_email}}. You may also complain to the national consumer service (SERNAC), at sernac.cl or 800 700 100.
$text$),
('staging', 'summary_sheet', 'muestra-1', 'es-CL', '2026-01-01T00:00:00Z', $text$
# Hoja de resumen

Texto de muestra para pruebas.

- Crédito: {{later}}, que te presta {{financing_provider}}.
- Una sola cuota: {{later_charge}}, a más tardar el {{latest_date}}.
- Comisión incluida en la cuota: {{commission}} ({{commission_percentage}}).
- Carga anual equivalente (CAE): {{annual_cost}}.
- Costo total, con los {{today}} que pagas hoy: {{total_cost}}.
- Pago anticipado: cuando quieras, con la misma comisión.
- Atraso: el monto no sube.
- Retracto: no hay después de pagar.
- Cotización del {{date}} para {{patient}}, RUT {{patient_rut}}.
$text$),
('staging', 'summary_sheet', 'muestra-1', 'en', '2026-01-01T00:00:00Z', $text$
# Summary sheet

Sample text for tests.

- Credit: {{later}}, lent by {{financing_provider}}.
- One instalment: {{later_charge}}, on {{latest_date}} at the latest.
- Commission in it: {{commission}} ({{commission_percentage}}).
- Annual cost (CAE): {{annual_cost}}.
- Total cost, with the {{today}} that you pay today: {{total_cost}}.
- Early payment: whenever you like, with the same commission.
- Late payment: the amount does not grow.
- Withdrawal: none after you pay.
- Quote of {{date}} for {{patient}}, RUT {{patient_rut}}.
$text$),
('staging', 'privacy_notice', 'muestra-1', 'es-CL', '2026-01-01T00:00:00Z', $text$
# Aviso de privacidad

Texto de muestra para pruebas.

## Qué datos usamos y para qué

- Tu nombre, RUT, correo y teléfono: para identificarte, cobrarte y avisarte.
- Tu tarjeta, sin su número: para los dos cobros.
- Las boletas, órdenes y recetas de tu atención: solo para pedir tu reembolso a la isapre.

## Quién los recibe

{{clinic}}, {{financing_provider}}, el procesador de tarjetas, el registro que verifica tu identidad y tu isapre. Nadie más.

## Una decisión automática

{{financing_provider}} decide el crédito con un sistema automático. Si lo rechaza, te damos las razones por escrito y puedes pedir que una persona lo revise.

## Cuánto los guardamos

Los del pago, el tiempo que manda la ley tributaria. Los demás, hasta que pidas borrarlos.

## Tus derechos

En Mis datos puedes ver, copiar, corregir y borrar tus datos, oponerte a un uso, pedir que se bloqueen y retirar tus autorizaciones. También puedes escribir a {{support_email}}.
$text$),
('staging', 'privacy_notice', 'muestra-1', 'en', '2026-01-01T00:00:00Z', $text$
# Privacy notice

Sample text for tests.

## Which data we use, and for what

- Your name, RUT, e-mail and telephone: to know that it is you, to charge you and to keep you informed.
- Your card, without its number: for the two charges.
- Receipts, orders and prescriptions of your consultation: only to claim your reimbursement from the isapre.

## Who receives them

{{clinic}}, {{financing_provider}}, the card processor, the registry that checks your identity, and your isapre. Nobody else.

## An automatic decision

{{financing_provider}} decides on the credit by an automatic system. If it refuses, we give you the reasons in writing, and you may ask for a person to look at it.

## How long we keep them

Those of the payment as long as tax law says. The others until you ask us to erase them.

## Your rights

In My data you may see, copy, correct and erase your data, object to a use, have them blocked, and withdraw what you have allowed. You may also write to {{support_email}}.
$text$);
