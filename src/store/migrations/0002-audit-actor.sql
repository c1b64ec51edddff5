-- The audit log can be filtered by its author. Without this index a page of a rare author reads all lines of the brand.
create index audit_actor on audit (brand_id, actor, id);
