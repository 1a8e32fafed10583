"""What the coming months will bring."""
from datetime import timedelta

from .dates import add_months


def upcoming(subscriptions, today, days=30):
    """(day, customer) of the charges after today, within so many days."""
    end = today + timedelta(days=days)
    found = []
    for sub in subscriptions:
        found.extend((day, sub.customer) for day in sub.charges(end) if day > today)
    return sorted(found)


def expected(subscriptions, today, months):
    """Cents that will be charged per month, for the next `months` months."""
    first = today.replace(day=1)
    limits = [add_months(first, i) for i in range(1, months + 2)]
    sums = [0] * months
    for sub in subscriptions:
        for day in sub.charges(limits[-1] - timedelta(days=1)):
            for i in range(months):
                if limits[i] <= day < limits[i + 1]:
                    sums[i] += sub.plan.cents
    return sums
