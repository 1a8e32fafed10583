import nothing_of_that_name  # at: import


def test_never():
    pass
