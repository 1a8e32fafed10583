package mend

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// unmade are projects with a fault whose mending no template holds.
var unmade = map[string]string{
	"python": `
-- invoice.py --
def due(invoice, fee):
    open_amount = invoice.net - invoice.paid
    return open_amount + fee
-- test_invoice.py --
from types import SimpleNamespace

from invoice import due

def invoice(net, rate, paid, credit):
    return SimpleNamespace(net=net, rate=rate, paid=paid, credit=credit)

def test_plain():
    assert due(invoice(100, 20, 30, 0), 5) == 75

def test_unpaid():
    assert due(invoice(80, 10, 0, 0), 0) == 80

def test_credit():
    assert due(invoice(200, 20, 50, 7), 3) == 146

def test_other_credit():
    assert due(invoice(300, 10, 20, 9), 1) == 272
`,
	"javascript": `
-- package.json --
{"name": "invoice"}
-- invoice.js --
exports.tax = (invoice) => Math.floor((invoice.net * invoice.rate) / 100);

exports.due = (invoice, fee) => {
  const open = invoice.net - invoice.paid;
  return open + fee;
};
-- test/invoice.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { due } = require('../invoice.js');
const invoice = (net, rate, paid, credit) => ({ net, rate, paid, credit });
test('plain', () => { assert.strictEqual(due(invoice(100, 20, 30, 0), 5), 75); });
test('unpaid', () => { assert.strictEqual(due(invoice(80, 10, 0, 0), 0), 80); });
test('with a credit', () => { assert.strictEqual(due(invoice(200, 20, 50, 7), 3), 146); });
test('with another', () => { assert.strictEqual(due(invoice(300, 10, 20, 9), 1), 272); });
`,
	"go": `
-- go.mod --
module example.com/invoice

go 1.21
-- invoice.go --
package invoice

type Invoice struct {
	Net, Rate, Paid, Credit int
}

func Due(in Invoice, fee int) int {
	open := in.Net - in.Paid
	return open + fee
}
-- invoice_test.go --
package invoice

import "testing"

func due(t *testing.T, in Invoice, fee, want int) {
	t.Helper()
	if got := Due(in, fee); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestPlain(t *testing.T)       { due(t, Invoice{100, 20, 30, 0}, 5, 75) }
func TestUnpaid(t *testing.T)      { due(t, Invoice{80, 10, 0, 0}, 0, 80) }
func TestCredit(t *testing.T)      { due(t, Invoice{200, 20, 50, 7}, 3, 146) }
func TestOtherCredit(t *testing.T) { due(t, Invoice{300, 10, 20, 9}, 1, 272) }
`,
}

func TestR1ExpressionsAreMadeOfWhatIsInScope(t *testing.T) {
	t.Parallel()
	for lang, text := range unmade {
		if testing.Short() && lang != "python" {
			continue
		}
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			alone := project(t, text)
			alone.task = task.Task{Title: "The amount due is wrong", Body: "due() gives too little for some invoices."}
			alone.without = map[string]bool{"synthesis": true}
			if !testing.Short() { // a whole search, to see that the case is one
				if r := treat(t, alone); r.repair.Found != nil {
					t.Fatalf("a template mends it: %s", r.row())
				}
			}
			p := project(t, text)
			p.task = alone.task
			r := treat(t, p)
			if r.repair.Found == nil || !r.verdict.Green {
				t.Fatalf("not mended: %s", r.row())
			}
			t.Log(r.row())
			if f := r.repair.Found; !strings.Contains(f.Explanation, "has to be") {
				t.Errorf("the explanation does not say what was needed: %s", f.Explanation)
			}
		})
	}
}
