-- An operator exists by the holder of the keyring, while there are fewer than two, or by an approval of two others. `made_by` is null
-- where the version before added them, or where staging lets people try out the console.
alter table operators
  add column made_by text,
  add column approval_id uuid,
  add column approval_act text,
  add column approval_state text,
  -- Null: since they were added.
  add column approves_from timestamptz,
  add constraint operators_made_by check (made_by in ('keyring', 'approval')) not valid,
  add constraint operators_made_by_approval check (
    (approval_id is not null) = (made_by is not distinct from 'approval')
    and (approval_id is null) = (approval_act is null) and (approval_id is null) = (approval_state is null)
    and (approval_id is null or (approval_act = 'operator.add' and approval_state = 'approved'))
  ) not valid,
  -- Whoever is made by somebody approves nothing at first.
  add constraint operators_wait check (made_by is null or approves_from > added_at) not valid,
  add constraint operators_approval_fkey foreign key (approval_id, approval_act, approval_state)
    references approval_requests (id, act, state) not valid;
