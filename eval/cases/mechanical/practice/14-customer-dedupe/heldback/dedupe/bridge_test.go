package dedupe

import (
	"reflect"
	"testing"

	"example.com/dedupe/record"
)

func TestRecordsThatBridge(t *testing.T) {
	got := ids(Match([]record.Customer{
		{ID: 1, Email: "ada@x.org"},
		{ID: 2, Phone: "020 7946 0000"},
		{ID: 3, Email: "bob@x.org"},
		{ID: 4, Email: "ada@x.org", Phone: "020 7946 0000"},
		{ID: 5, Email: "bob@x.org", Phone: "+4420 7946 0000"},
		{ID: 6, Email: "cid@x.org", Phone: "0207946 0000"},
	}))
	if !reflect.DeepEqual(got, [][]int{{1, 2, 4, 6}, {3, 5}}) {
		t.Errorf("got %v", got)
	}
}

func TestRunMergesBridgedRecords(t *testing.T) {
	got := Run([]record.Customer{
		{ID: 8, Email: "ada@x.org", Updated: on(1)},
		{ID: 2, Phone: "020 7946 0000", Name: "Ada", Updated: on(2)},
		{ID: 9, Email: "ADA@x.org", Phone: "02079460000", Updated: on(3)},
	})
	if len(got) != 1 || got[0].ID != 2 || got[0].Name != "Ada" || !reflect.DeepEqual(got[0].From, []int{8, 2, 9}) {
		t.Errorf("got %+v", got)
	}
}
