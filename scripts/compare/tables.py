"""Writes the tables of the comparison between their markers: `<!-- table NAME -->` … `<!-- end -->`.

Of each contender the best of its settings is the one by which most requests are accepted and have the newest message, on all wires
together. A setting that holds no window counts only where the library has none (pruneMessages), and for `no window` of nothing.
"""

import json
import re
import sys

CONTENDERS = {
    "nothing": "nothing",
    "langchain": "LangChain `trim_messages`",
    "vercel": "Vercel AI SDK `pruneMessages`",
    "rig": "rig-memory, rig-core",
    "briefing": "Briefing",
}
WIRES = {
    "openai-chat": "OpenAI Chat",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
}
HISTORIES = 1000
# It says what is left out, never how much may stay.
WITHOUT_WINDOW = {"vercel"}


def main():
    folder, *pages = sys.argv[1:]
    tallies = {name: settings(f"{folder}/tally-{name}.jsonl") for name in CONTENDERS}
    best = {name: max(allowed(name, tally), key=lambda one: usable(tally[one])) for name, tally in tallies.items()}
    tables = {
        "summary": summary(tallies, best),
        "settings": settings_table(tallies, best),
        "kinds": kinds(tallies, best),
        "faults": faults(tallies, best),
    }
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for name, table in tables.items():
            between = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.DOTALL)
            text = between.sub(lambda found: found[1] + table + found[2], text)
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)


def settings(path):
    """{setting: {wire: tally}}"""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            tally = json.loads(line)
            assert tally["refused"] + tally["nothing"] + tally["accepted"] == HISTORIES, (path, tally["setting"])
            found.setdefault(tally["setting"], {})[tally["wire"]] = tally
    return found


def allowed(name, tally):
    return [one for one, wires in tally.items() if name in WITHOUT_WINDOW or all(wire["bounded"] for wire in wires.values())]


def usable(wires):
    return sum(wire["newest"] for wire in wires.values())


def share(part, whole):
    return f"{100 * part / whole:.0f}" if whole else "–"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def summary(tallies, best):
    """Refused by wire; the other numbers are over all wires."""
    table = row("refused of 1,000", *WIRES.values(), "no request", "newest lost", "kept")
    table += row("---", *("---:" for _ in range(len(WIRES) + 3)))
    for name, title in CONTENDERS.items():
        wires = tallies[name][best[name]]
        every = [wires[wire] for wire in WIRES]
        whole = {what: sum(tally[what] for tally in every) for what in ("nothing", "accepted", "newest", "kept", "of")}
        table += row(title, *map(refused, every), lost_request(whole), stale(whole), share(whole["kept"], whole["of"]) + "%")
    return table


def slashed(wires, number):
    return " / ".join(str(number(wires[wire])) for wire in WIRES)


def lost_request(tally):
    return tally["nothing"]


def stale(tally):
    return tally["accepted"] - tally["newest"]


def kept(tally):
    return share(tally["kept"], tally["of"])


def settings_table(tallies, best):
    table = row("contender", "setting", "refused", "and if doubtful rules hold", "no request", "newest lost", "kept, %")
    table += row("---", "---", "---:", "---:", "---:", "---:", "---:")
    for name, title in CONTENDERS.items():
        for setting, wires in tallies[name].items():
            marked = f"**{setting}**" if setting == best[name] else setting
            numbers = (refused, strictly_refused, lost_request, stale, kept)
            table += row(title, marked, *(slashed(wires, number) for number in numbers))
    return table


def refused(tally):
    return tally["refused"]


def strictly_refused(tally):
    return tally["refused"] + tally["disputed"]


def kinds(tallies, best):
    first = next(iter(tallies["nothing"][best["nothing"]].values()))["kinds"]
    table = row("damage", "histories", *CONTENDERS.values())
    table += row("---", "---:", *("---:" for _ in CONTENDERS))
    for kind, (histories, *_) in sorted(first.items(), key=lambda kind: (kind[0] != "overflow alone", kind[0])):
        cells = []
        for name in CONTENDERS:
            of = [tallies[name][best[name]][wire]["kinds"][kind] for wire in WIRES]
            cells.append(" / ".join(str(refused + nothing) for _, refused, nothing, _ in of))
        table += row(kind, histories, *cells)
    return table


def faults(tallies, best):
    table = row("contender", "wire", "faults of the refused (requests that have it)", "why there was no request")
    table += row("---", "---", "---", "---")
    for name, title in CONTENDERS.items():
        for wire, wire_title in WIRES.items():
            tally = tallies[name][best[name]][wire]
            table += row(title, wire_title, listed(tally["faults"]), listed(tally["reasons"]))
    return table


def listed(counts):
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name.rstrip('.')} {count}" for name, count in ordered) or "–"


main()
