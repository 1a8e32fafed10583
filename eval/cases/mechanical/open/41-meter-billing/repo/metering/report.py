"""Printing bills as plain text."""


def money(cents):
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02d}"


def render(bill):
    title = f"Meter {bill.meter}"
    if bill.provisional:
        title += " (provisional)"
    rows = [("fee", "", money(bill.fee))]
    for line in bill.lines:
        rows.append((line.label, f"{line.amount} x {money(line.price)}", money(line.cents)))
    rows.append(("total", f"{bill.usage} units", money(bill.total)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    out = [title]
    for label, detail, amount in rows:
        out.append(
            f"  {label.ljust(widths[0])}  {detail.rjust(widths[1])}  {amount.rjust(widths[2])}"
        )
    return "\n".join(out)
