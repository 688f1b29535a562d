"""What a user can get wrong."""


class BadInputError(Exception):
    """Something that the user has to change, as spotsim's exit code 2."""
