"""Changes the record of a clean run in the ways that faults would, and checks that the checker sees each."""

from collections.abc import Iterator
from dataclasses import replace

from chaos_checker import FAILURES, Checker, Limits
from chaos_record import Receipt, Record, Row

COPY_AFTER_NS = 400_000_000


def blind_spots(record: Record, nodes: int, limits: Limits) -> list[str]:
    """Returns the changes that were not seen as what they are."""
    if not (found := victim(record)):
        return ["no run before the first fault can be changed"]
    missed = []
    for name, expected, changed in changes(record, *found):
        verdict = Checker(changed, nodes, limits).run()
        seen = {failure: verdict.counts[failure] for failure in FAILURES if verdict.counts[failure]}
        if seen != {expected: 1}:
            missed.append(f"the checker sees {seen or 'nothing'} in a record with {name}")
    return missed


def victim(record: Record) -> tuple[Row, Receipt] | None:
    """Returns a plain run of the first second, before all faults."""
    receipts = {receipt.log_id: receipt for receipt in record.receipts}
    for row in record.rows:
        job = record.jobs.get(row.job_id)
        if job and job.key.startswith("plain") and row.kind == "cron" and row.instant_s == record.window[0] \
                and row.log_id in receipts:
            return row, receipts[row.log_id]
    return None


def changes(record: Record, row: Row, receipt: Receipt) -> Iterator[tuple[str, str, Record]]:
    """Yields what was changed, the failure that it is, and the changed record."""
    rows = [each for each in record.rows if each is not row]
    receipts = [each for each in record.receipts if each is not receipt]
    another = max(each.log_id for each in record.rows) + 1
    yield "a missing row and receipt", "missed", replace(record, rows=rows, receipts=receipts)
    yield "a missing receipt", "untrue", replace(record, receipts=receipts)
    yield "a second run of an instant", "doubled", replace(
        record, rows=[*record.rows, replace(row, log_id=another)],
        receipts=[*record.receipts, replace(receipt, log_id=another)])
    yield "a second receipt", "doubled", replace(
        record, receipts=[*record.receipts, replace(receipt, at_ns=receipt.at_ns + COPY_AFTER_NS)])
    for name, at_ns in (("early", row.instant_s * 10**9 - 10**6), ("late", receipt.at_ns + 10**12)):
        yield f"a receipt that is {name}", name, replace(record, receipts=[*receipts, replace(receipt, at_ns=at_ns)])
    yield "a row without an end", "stuck", replace(record, rows=[*rows, replace(row, handle=0)])
