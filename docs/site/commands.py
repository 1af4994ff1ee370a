"""Pages of the commands, from their --help: a heading for each group, an anchor for each option, examples.

An option is found at commands/buffer.html#--load; where a how-to names one in code, it is a link to that.
"""

import re
import subprocess

OPTION = r"--[a-z][a-z0-9-]*"
DECLARED = re.compile(r"  (?:    )?((?:-\w, )?--?[A-Za-z][^ ]*|[A-Z][^ ]*)((?: [^ ]+)*?)(?:  +(.*))?")


TITLES = {}  # of the pages of docs/ that --help names by file


def commands(tailbound):
    """(name, help) of all commands, subcommands included."""

    def help_of(name):
        return subprocess.run([tailbound, *name.split(), "--help"], capture_output=True, text=True, check=True).stdout

    listed = help_of("").partition("\ntailbound COMMAND")[0]
    names = re.findall(r"^ {2,4}([a-z-]+(?: [a-z-]+)?)  +\S", listed, flags=re.M)
    return [(name, help_of(name)) for name in names if not any(other.startswith(name + " ") for other in names)]


def options_of(text):
    return set(re.findall(rf"^  (?:-\w, |    )({OPTION})", text.split("\nExample")[0], flags=re.M))


def escaped(text):
    return re.sub(r"([\\`*_<>\[\]$#|{}~])", r"\\\1", text)


def link_to_option(shown, command, option):
    return f"{{option}}`{shown} <{command} {option}>`"


def prose(text, command, known):
    """Help text as Markdown, with links for code and options (of this command unless another is named before)."""
    others = "|".join(sorted(known, key=len, reverse=True))

    def shown(match):
        code, named, option, file = match.groups()
        if file:
            return f"[{TITLES[file]}](../{file})"
        if code:
            other = code.removeprefix("tailbound ")
            return f"[`{code}`]({other.replace(' ', '-')}.md)" if other in known else f"`{code}`"
        owner = named.strip() if named else command
        link = link_to_option(option, owner, option) if option in known[owner] else f"`{option}`"
        return f"{escaped(named or '')}{link}"

    pattern = rf"`([^`]+)`|(?<![\w-])((?:{others}) )?({OPTION})(?![\w-])|docs/([\w/]+\.md)"
    result, at = "", 0
    for match in re.finditer(pattern, text):
        result += escaped(text[at : match.start()]) + shown(match)
        at = match.end()
    return result + escaped(text[at:])


def group(title, lines, command, known):
    """The options of one heading, each with what follows it further in."""
    items = []
    for line in lines:
        declared = DECLARED.fullmatch(line)
        if declared:
            name, value, words = declared.groups()
            items.append([name + value, [words or ""]])
        elif items:
            items[-1][1].append(line.strip())
    # --help is an option of every command, and this page is what it shows.
    items = [item for item in items if not re.search("--(help|version)", item[0])]
    text = f"## {title}\n\n" if items else ""
    for name, words in items:
        meaning = prose(" ".join(words).strip(), command, known)
        if name.startswith("-"):
            text += f"```{{option}} {name}\n{meaning}\n```\n\n"
        else:
            text += f"{escaped(name.replace(' REQUIRED', ''))}\n: {meaning}\n\n"
    return text


def examples(lines, command, known):
    """What follows the options: sentences, and command lines with what they print."""
    text, block, words = "", [], []

    def end_block():
        nonlocal text, block
        if any(block):
            indent = min(len(line) - len(line.lstrip()) for line in block if line.strip())
            body = "\n".join(line[indent:] for line in block).strip("\n")
            text += f"```text\n{body}\n```\n\n"
        block = []

    def end_words():
        nonlocal text, words
        if words:
            text += prose(" ".join(words), command, known) + "\n\n"
        words = []

    for line in lines:
        if line.startswith("  ") or (block and not line):
            end_words()
            block.append(re.sub(r"^  tailbound ", "  $ tailbound ", line))
        elif line == "prints":
            continue  # the block says so: the line begins with $
        elif not line:
            end_words()
        else:
            end_block()
            words.append(line)
    end_words()
    end_block()
    return text


def page(command, text, known):
    options, begin, rest = re.split(r"^(Examples?:.*)$", text, maxsplit=1, flags=re.M) if "\nExample" in text else (text, "", "")
    usage, purpose, options = (options.strip() + "\n").split("\n", 2)
    options = usage + "\n" + options
    result = f"# tailbound {command}\n\n```{{program}} {command}\n```\n\n{escaped(purpose)}\n\n"
    # A part begins at the left edge: a heading with a colon, or sentences.
    part = {"title": None, "lines": [], "words": []}

    def end_part():
        nonlocal result
        if part["title"]:
            result += group(part["title"], part["lines"], command, known)
        if part["words"]:
            result += prose(" ".join(part["words"]), command, known) + "\n\n"
        part.update(title=None, lines=[], words=[])

    for line in options.splitlines():
        if line.startswith("Usage: "):
            result += f"```text\n{line.removeprefix('Usage: ')}\n```\n\n"
        elif line.endswith(":") and not line.startswith(" "):
            end_part()
            part["title"] = {"Positionals": "Arguments"}.get(line[:-1], line[:-1])
        elif line.startswith("  ") and part["title"]:
            part["lines"].append(line)
        elif line:
            if not part["words"]:
                end_part()
            part["words"].append(line)
    end_part()
    if begin:
        first = begin.partition(":")[2].strip()
        result += "## Examples\n\n" + examples(([first] if first else []) + rest.splitlines(), command, known)
    return result


def options_by_command(listed):
    return {command: options_of(text) for command, text in listed}


def command_pages(folder, listed, parts):
    TITLES.update({name: parts.title(name, "") for name in parts.pages})
    there = folder / "commands"
    there.mkdir(exist_ok=True)
    rows, names, known = [], [], options_by_command(listed)
    for command, text in listed:
        name = command.replace(" ", "-")
        names.append(name)
        rows.append(f"| [`{command}`]({name}.md) | {escaped(text.strip().splitlines()[1])} |")
        also = [f"output-{name}.md", f"python_reference-{name.replace('-', '_')}.md"]
        also = [f"[{TITLES[part]}](../{part})" for part in also if part in TITLES]
        text = page(command, text, known) + ("See also: " + ", ".join(also) + ".\n" if also else "")
        (there / f"{name}.md").write_text(text)
    tree = "\n".join(names)
    (there / "index.md").write_text(
        "# Commands\n\nEach page lists the options of a command, with examples and their output, as `--help` does. The keys of "
        "the answers: [Output of the commands](../output.md).\n\n| command | |\n|---|---|\n" + "\n".join(rows)
        + f"\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )  # fmt: skip


def linked(text, listed):
    """Options that a page names in code become links: to the command that it named last and that has them, or names next, or
    else to the first that has them."""
    known = options_by_command(listed)
    by_length = sorted(known, key=len, reverse=True)
    named = [(match.start(), match.group(1)) for match in re.finditer(rf"\btailbound ({'|'.join(by_length)})\b", text)]

    def shown(match):
        option = match.group(2)
        having = [(at, command) for at, command in named if option in known[command]]
        before = [command for at, command in having if at < match.start()]
        others = [command for _, command in having] or [command for command in known if option in known[command]]
        if not others:
            return match.group(0)
        command = before[-1] if before else others[0]
        return link_to_option(match.group(1), command, option)

    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    at, result = 0, []
    for i, part in enumerate(parts):
        if i % 2 == 0:
            # Positions are those of the whole text, for what is named before.
            padded = " " * at + part
            part = re.sub(rf"(?<![\[`])`(({OPTION})(?: [^`<>\n]*)?)`(?!`)", shown, padded)[at:]
        at += len(parts[i])
        result.append(part)
    return "".join(result)
