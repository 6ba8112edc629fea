-- The highest yearly rate that the law allows, as it is published: each is kept with its source, and that of the latest day holds.
create table maximum_rates (
  id uuid primary key,
  environment text not null,
  -- Of a year, in basis points.
  basis_points int not null,
  source text not null,
  -- The first day on which it holds.
  since date not null,
  set_at timestamptz not null,
  constraint maximum_rates_environment check (environment in ('staging', 'production')),
  constraint maximum_rates_basis_points check (basis_points between 1 and 100000),
  constraint maximum_rates_day unique (environment, since)
);

-- Why a commission above the maximum rate is lawful, as an operator has written it down.
alter table providers add column commission_legal_basis text;
