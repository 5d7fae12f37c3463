-- For how many seconds the holder asked; null for a lease of version 0.1.
ALTER TABLE leases ADD COLUMN ttl double precision
