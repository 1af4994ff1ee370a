"""Long pages in parts: docs/ has one file, which is generated or read as a whole; the site has a page for each subject.

A part is next to its page, so that links from it need no change: output.md has output-buffer.md.
"""

import re

# The title of a part, of its heading. A page in parts keeps what precedes its first heading, and lists them.
SPLIT = {
    "output.md": "Keys of {}",
    "trust.md": "Accuracy: {}",
    "python_reference.md": "tb.{}",
    "networks.md": "Network files: {}",
    "derivations/policed_traffic.md": "{}",
    "derivations/wormhole_finite_source.md": "Finite sources: {}",
}


def slug(heading):
    """As GitHub and MyST name it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections(text, level):
    """[(heading, text)]; the first without a heading. Code is not searched."""
    found, code = [(None, [])], False
    for line in text.splitlines():
        code ^= line.startswith("```")
        if line.startswith("#" * level + " ") and not code:
            found.append((line[level:].strip(), []))
        else:
            found[-1][1].append(line)
    return [(heading, "\n".join(lines).strip() + "\n") for heading, lines in found]


def headings(text):
    return re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M)


def raised(text):
    """Headings one level up."""
    pieces = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    pieces[::2] = [re.sub(r"^##(#* )", r"#\1", piece, flags=re.M) for piece in pieces[::2]]
    return "".join(pieces)


class Parts:
    def __init__(self, texts):
        self.pages = {name: self.split(name, text) for name, text in texts.items()}
        self.pages |= {to: {to: text} for pages in [*self.pages.values()] for to, text in pages.items() if to not in self.pages}

    def split(self, name, text):
        if name not in SPLIT:
            return {name: text}
        (_, front), *rest = sections(text, 2)
        pages = {}
        for heading, part in rest:
            if ": {" in SPLIT[name]:
                heading = heading[:1].lower() + heading[1:]
            pages[name.replace(".md", f"-{slug(heading)}.md")] = f"# {SPLIT[name].format(heading)}\n\n{raised(part)}"
        listed = "".join(f"- [{headings(part)[0]}]({to.split('/')[-1]})\n" for to, part in pages.items())
        tree = "".join(to.split("/")[-1].removesuffix(".md") + "\n" for to in pages)
        return {name: f"{front}\n{listed}\n```{{toctree}}\n:hidden:\n\n{tree}```\n"} | pages

    def place(self, name, anchor):
        """(page, anchor) of what is at this page of docs/ and anchor; the anchor of a whole page is empty."""
        for to, text in self.pages[name].items():
            if to != name and to == name.replace(".md", f"-{anchor}.md"):
                return to, ""
            if anchor in map(slug, headings(text)):
                return to, anchor
        return name, anchor

    def title(self, name, anchor):
        """Of a page, or of what is at its anchor."""
        found = headings(self.pages[name][name])
        return next((heading for heading in found if slug(heading) == anchor), found[0])
