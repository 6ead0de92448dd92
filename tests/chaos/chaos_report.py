"""The report of a chaos run in Markdown."""

import os
import platform
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from chaos_checker import FAILURES, Gap, Verdict
from chaos_plan import Part

EXAMPLES_SHOWN = 6


@dataclass(frozen=True)
class Outcome:
    """A finished scenario, or one that did not run: then `skipped` says why."""

    part: Part
    store: str
    rate: int
    verdict: Verdict | None
    skipped: str = ""

    @property
    def clean(self) -> bool:
        return self.verdict is None or self.verdict.clean


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def heading(seed: int, command: str, version: str, load: tuple[float, ...]) -> str:
    return "\n".join([
        "# Chaos report", "",
        f"* command: `{command}`",
        f"* seed: {seed}",
        f"* program: {version}",
        f"* machine: {os.cpu_count()} cores, {processor()}, load average {load[0]:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after the run",
        f"* end: {time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())}", ""])


COLUMNS = ("Scenario", "Store", "Faults", "Due", "Fired", "Dropped, merged", "Not sent", "Skipped", "Given up",
           "**Missed**", "**Doubled**", "**Early**", "**Late**", "**Stuck**", "**Untrue**", "**Other**", "R1, R2, resend",
           "Late p50", "p99", "max", "Longest takeover")


def row(outcome: Outcome) -> str:
    verdict, part = outcome.verdict, outcome.part
    counts, windows = verdict.counts, verdict.windows
    cells = [part.name, outcome.store, len(verdict.gaps), counts["due"], counts["fired"], counts["dropped"] + counts["merged"],
             counts["not sent"], counts["skipped"], counts["given up"],
             *(counts[name] for name in ("missed", "doubled", "early", "late", "stuck", "untrue")),
             counts["other"] + counts["unexplained"],
             f"{windows['R1']}, {windows['R2']}, {windows['resend']}",
             *(f"{verdict.late_at(share):.3f} s" for share in (0.5, 0.99, 1)),
             f"{verdict.longest_takeover():.3f} s" if takeovers(verdict) else "–"]
    return "| " + " | ".join(map(str, cells)) + " |"


def takeovers(verdict: Verdict) -> bool:
    return any(gap.takeover for gap in verdict.gaps)


def table(outcomes: list[Outcome]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += [row(outcome) for outcome in outcomes if outcome.verdict]
    lines += [f"\nSkipped: {outcome.part.name} on {outcome.store}: {outcome.skipped}" for outcome in outcomes if outcome.skipped]
    return "\n".join(lines)


def gap_table(outcomes: list[Outcome]) -> str:
    """Returns the gaps after the faults of each kind, and the recoveries that no other fault interrupted."""
    found: dict[str, list[Gap]] = defaultdict(list)
    for outcome in outcomes:
        for gap in outcome.verdict.gaps if outcome.verdict else ():
            found[gap.fault.kind].append(gap)
    lines = ["## Gap after each fault", "",
             "| Fault | Number | Longest fault | Gap: median | longest | Recovery after its end: median | longest |",
             "|---|---|---|---|---|---|---|"]
    for kind, gaps in sorted(found.items()):
        lasted = max(gap.fault.end - gap.fault.begin for gap in gaps)
        cells = [kind, str(len(gaps)), f"{lasted:.2f} s", *median_and_longest([gap.late_s for gap in gaps]),
                 *median_and_longest([gap.recovery_s for gap in gaps if gap.recovery_s is not None])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def median_and_longest(seconds: list[float]) -> tuple[str, str]:
    if not seconds:
        return "–", "–"
    return f"{sorted(seconds)[len(seconds) // 2]:.3f} s", f"{max(seconds):.3f} s"


def details(outcomes: list[Outcome]) -> str:
    lines = ["## Faults", ""]
    for outcome in outcomes:
        if outcome.verdict:
            lines += [f"### {outcome.part.name} on {outcome.store}", "", "```"]
            lines += [f"{gap.fault.text}  gap {gap.late_s:.3f} s" for gap in outcome.verdict.gaps]
            lines += ["```", ""]
    return "\n".join(lines)


def failures(outcome: Outcome) -> list[str]:
    """Returns a line for each kind of failure, and examples."""
    lines = []
    for name in FAILURES:
        if number := outcome.verdict.counts[name]:
            lines.append(f"{outcome.part.name} on {outcome.store}: {number} {name}")
            lines += [f"    {example}" for example in outcome.verdict.examples[name][:EXAMPLES_SHOWN]]
    return lines


def text(head: str, outcomes: list[Outcome]) -> str:
    clean = all(outcome.clean for outcome in outcomes)
    parts = [head, f"Result: {'clean' if clean else '**not clean**'}.", "", table(outcomes), "", gap_table(outcomes), ""]
    if not clean:
        lines = [line for outcome in outcomes if not outcome.clean for line in failures(outcome)]
        parts += ["## Failures", "", "```", *lines, "```", ""]
    return "\n".join([*parts, details(outcomes)])
