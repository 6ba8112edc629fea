-- A tax document that the service asked for. One row per key, for ever.

create table documents (
  -- Our name of it at LibreDTE.
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  kind text not null,
  -- The SII's type: 39 boleta, 41 boleta exenta, 61 nota de crédito.
  dte integer not null,
  amount bigint not null,
  day date not null,
  -- The provider's time and real time.
  at timestamptz not null,
  begun_at timestamptz not null,
  -- generating: LibreDTE may have issued it. blocked: an operator has to decide.
  state text not null default 'planned',
  -- What LibreDTE needs to issue it, with the receiver's RUT and name; deleted once it is issued or refused.
  content jsonb,
  -- LibreDTE's code of the draft, and when its generation was last requested.
  code text,
  generating_at timestamptz,
  folio bigint,
  url text,
  issued_at timestamptz,
  -- Whether the SII's verdict is known; when it was last asked for.
  is_final boolean not null default false,
  asked_at timestamptz,
  -- Why it was refused, in the protocol's words.
  reason text,
  -- The operator who settled it, and what LibreDTE showed.
  settled_by text,
  settled_because text,
  constraint documents_kind check (kind in ('boleta', 'credit_note')),
  constraint documents_dte check ((kind = 'boleta' and dte in (39, 41)) or (kind = 'credit_note' and dte = 61)),
  constraint documents_amount check (amount > 0),
  constraint documents_state check
    (state in ('planned', 'drafted', 'generating', 'blocked', 'issued', 'rejected', 'refused')),
  constraint documents_issued check
    ((state in ('issued', 'rejected')) = (folio is not null and url is not null and issued_at is not null)),
  constraint documents_reason check ((state = 'refused') = (reason is not null)),
  constraint documents_content check ((content is null) = (state in ('issued', 'rejected', 'refused'))),
  constraint documents_code check (state <> 'drafted' or code is not null),
  constraint documents_generating check (state <> 'generating' or generating_at is not null),
  constraint documents_settled check ((settled_by is null) = (settled_because is null)),
  unique (dte, folio)
);

create index documents_by_provider on documents (provider_id, at, id);
create index documents_by_begun_at on documents (begun_at);
create index documents_open on documents (begun_at) where state in ('planned', 'drafted', 'generating', 'blocked');
create index documents_without_verdict on documents (asked_at) where state = 'issued' and not is_final;
