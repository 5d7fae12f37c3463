"""The abstract stores that every toolset is written against; no engine is named here."""
