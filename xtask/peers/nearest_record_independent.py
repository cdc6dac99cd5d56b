"""The nearest record of as many others of the same distribution; needs scipy."""

from nearest import nearest_of_all

nearest_of_all("independent")
