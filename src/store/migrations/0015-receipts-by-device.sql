-- Erasing a person takes what their devices told of broadcasts along; without this it would read all receipts there are.
create index receipts_subscription on receipts (brand_id, subscription_id);
