"""The nearest record of a masked copy of each; needs scipy."""

from nearest import nearest_of_all

nearest_of_all("masked")
