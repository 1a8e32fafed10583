package settle

import (
	"reflect"
	"testing"
)

func TestPlanNothing(t *testing.T) {
	if plan, err := Plan(map[string]int64{"Abe": 0}); err != nil || len(plan) != 0 {
		t.Errorf("got %v, %v", plan, err)
	}
}

func TestPlanTwoDebtors(t *testing.T) {
	plan, err := Plan(map[string]int64{"Abe": 6000, "Bea": -2000, "Cleo": -4000})
	want := []Payment{{"Cleo", "Abe", 4000}, {"Bea", "Abe", 2000}}
	if err != nil || !reflect.DeepEqual(plan, want) {
		t.Errorf("got %v, %v", plan, err)
	}
}

func TestPlanTwoCreditors(t *testing.T) {
	plan, err := Plan(map[string]int64{"Abe": 100, "Bea": 300, "Cleo": -400})
	want := []Payment{{"Cleo", "Bea", 300}, {"Cleo", "Abe", 100}}
	if err != nil || !reflect.DeepEqual(plan, want) {
		t.Errorf("got %v, %v", plan, err)
	}
}

func TestPlanUnbalanced(t *testing.T) {
	if _, err := Plan(map[string]int64{"Abe": 100, "Bea": -90}); err == nil {
		t.Error("no error")
	}
}

func TestPaymentString(t *testing.T) {
	if got := (Payment{"Abe", "Bea", 1205}).String(); got != "Abe pays Bea 12.05" {
		t.Errorf("got %s", got)
	}
}
