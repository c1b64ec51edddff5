-- Segments look tags up on people too; most people have none.
create index profiles_tags on profiles using gin (brand_id, tags) where tags <> '{}';
