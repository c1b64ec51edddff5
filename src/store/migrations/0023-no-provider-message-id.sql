-- It was never filled: an id for every message would have to be read from every answer and written into every row, which
-- is the dearest place there is.
alter table deliveries drop column provider_message_id;
