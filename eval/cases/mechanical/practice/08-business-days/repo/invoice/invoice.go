// Package invoice tracks what is owed.
package invoice

import (
	"time"

	"example.com/receivables/calendar"
	"example.com/receivables/terms"
)

// Invoice is one bill.
type Invoice struct {
	Number string
	Cents  int64
	Issued time.Time
	Terms  terms.Terms
}

// Policy is how late payers are treated.
type Policy struct {
	ReminderDays int // business days after the due date, each
	MaxReminders int
	FeeCents     int64 // per reminder
}

// Book is a set of rules that invoices are judged by.
type Book struct {
	Calendar *calendar.Calendar
	Policy   Policy
}

// Due is when the invoice must be paid.
func (b Book) Due(inv Invoice) time.Time {
	return inv.Terms.Due(b.Calendar, inv.Issued)
}

// Reminders is how many reminders should have gone out by the day.
func (b Book) Reminders(inv Invoice, day time.Time) int {
	late := b.Calendar.Between(b.Due(inv), day)
	return min(late/b.Policy.ReminderDays, b.Policy.MaxReminders)
}

// NextReminder is the day of the next reminder, and false if there is none.
func (b Book) NextReminder(inv Invoice, day time.Time) (time.Time, bool) {
	sent := b.Reminders(inv, day)
	if sent >= b.Policy.MaxReminders {
		return time.Time{}, false
	}
	return b.Calendar.Shift(b.Due(inv), (sent+1)*b.Policy.ReminderDays), true
}

// Owed is the amount with the fees of the reminders.
func (b Book) Owed(inv Invoice, day time.Time) int64 {
	return inv.Cents + int64(b.Reminders(inv, day))*b.Policy.FeeCents
}
