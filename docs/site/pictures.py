"""A picture that has dark colours where the system is dark becomes two, one of which a page shows: the reader may have
chosen the other scheme, and an image does not know that.
"""

import pathlib
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

DARK = re.compile(r"@media screen and \(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}")


def write(text, path):
    """The picture in light colours, and NAME-dark.svg if it has others."""
    if DARK.search(text):
        path.with_name(f"{path.stem}-dark.svg").write_text(DARK.sub(r"\1", text))
    path.write_text(DARK.sub("", text))


class InBothSchemes(SphinxTransform):
    default_priority = 10  # before images are collected

    def apply(self):
        folder = pathlib.Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            dark = image["uri"].removesuffix(".svg") + "-dark.svg"
            if (folder / dark).is_file():
                other = image.deepcopy()
                other["uri"] = dark
                other["classes"] = [*image["classes"], "only-dark"]
                image["classes"] = [*image["classes"], "only-light"]
                image.parent.insert(image.parent.index(image) + 1, other)
