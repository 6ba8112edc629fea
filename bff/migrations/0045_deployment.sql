-- Which environment this database belongs to, and which keys it was used with: a server or command of another environment,
-- or with another key of the same name, refuses to start on it. A restored copy of production thus stays production.
create table deployment (
  id boolean primary key default true,
  environment text not null,
  -- From a key's id to its fingerprint. A key is added when a process first has it.
  key_fingerprints jsonb not null,
  constraint deployment_one check (id),
  constraint deployment_environment check (environment in ('staging', 'production'))
);
-- A database that was used before it had this row is what its providers are.
insert into deployment (environment, key_fingerprints)
select min(environment), '{}' from providers having count(distinct environment) = 1;

-- What an operator has switched off, for one provider or (null) for all. It counts from the next claim on, in every process.
create table switches (
  what text not null,
  provider_id uuid references providers (id),
  constraint switches_once unique nulls not distinct (what, provider_id),
  constraint switches_what check (what in ('charges', 'payouts', 'mails', 'claims'))
);
