"""The Kuzu adapter, for Kuzu and its maintained fork Ladybug."""
