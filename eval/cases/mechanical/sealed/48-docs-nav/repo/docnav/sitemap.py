"""The list of all addresses for search engines."""

from xml.sax.saxutils import escape

from .tree import build_tree


def sitemap(files, base):
    """A site map without drafts; `base` is where the site is."""
    base = base.rstrip("/") + "/"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<urlset>"]
    for page in build_tree(files).walk():
        lines.append(f"  <url><loc>{escape(base + page.address)}</loc></url>")
    lines.append("</urlset>")
    return "\n".join(lines) + "\n"


def depth_of(address):
    """How many clicks an address is away from the root."""
    return address.count("/")
