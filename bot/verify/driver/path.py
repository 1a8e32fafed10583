def set_path(program):
    """The suite's folder and its src layout become importable, as with
    `python -m pytest`; only now can repository code be found. An installed copy of
    it stands behind."""
    here = os.getcwd()
    src = os.path.join(here, "src")
    sys.path[0:0] = [here] + ([src] if os.path.isdir(src) and not os.path.exists(os.path.join(src, "__init__.py")) else [])
    sys.argv[:] = [program]


