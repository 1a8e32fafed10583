def test_never():
    x = = 1  # at: syntax
