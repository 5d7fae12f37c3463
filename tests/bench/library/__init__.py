"""The quality and the speed of a library of real books, downloaded by name from Debian's archive."""
