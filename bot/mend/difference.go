package mend

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// A wrong value says by how it differs from the right one what kind of mistake
// made it: the right elements in another order speak of a sort, one too few of a
// bound.

// difference lets a kind of wrong value speak for operators.
type difference struct {
	is        func(got, want string) bool
	operators string // names, separated by blanks
}

// differenceGain is how much likelier a wrong value makes an operator.
const differenceGain = 3

var differences = []difference{
	{byOne, "off_by_one comparison_boundary index_bound call_off_by_one comma_off_by_one slice_form slice_extent integer_constant rounding division_kind first_extreme loop_exit"},
	{negative, "operand_swap argument_swap arithmetic_operator receiver_swap comparison_operator element_swap rounding"},
	{opposite, "comparison_operator comparison_boundary negate_condition remove_not logical_operator condition_term_add condition_term_drop boolean_flip null_check " +
		"return_value logic_group method_pair method_form else_of_loop loop_exit guard_donor equality_kind pattern_escape"},
	{missing, "return_value value_or_default key_default key_store first_extreme argument_add keyword_forward field_unset statement_donor condition_term_drop null_check"},
	{caseOnly, "call_wrap call_unwrap both_sides method_pair method_form clean_value normalise_name sort_form string_constant key_store"},
	{blankOnly, "call_wrap call_unwrap method_pair method_form clean_value normalise_name string_constant format_spec pattern_escape index_bound"},
	{reordered, "tie_key sort_form sort_direction equal_before_next element_swap argument_swap operand_swap receiver_swap statement_swap statement_order begin_again method_pair method_form comparison_operator loop_direction accumulate"},
	{empty, "generator_list negate_condition remove_not comparison_operator comparison_boundary yield_from accumulate statement_move_loop else_of_loop loop_exit condition_term_drop"},
	{cutShort, "off_by_one comparison_boundary index_bound slice_form slice_extent loop_exit statement_donor statement_move_loop method_form method_pair pattern_escape yield_from generator_list repeat accumulate"},
	{tooMuch, "off_by_one comparison_boundary index_bound slice_form slice_extent loop_exit loop_exit_missing method_form method_pair pattern_escape note_seen mark_seen begin_again reset_field " +
		"mutable_default class_state deep_copy copy_inner guard_donor skip_none condition_term_add truncate repeat"},
	{nearly, "rounding division_kind call_wrap call_unwrap method_pair product_order arithmetic_operator"},
	{scaled, "arithmetic_operator integer_constant time_part accumulate operand_drop first_extreme division_kind"},
	{lazy, "generator_list call_wrap"},
}

// shownBy are the operators that the wrong values of the target speak for.
func (t told) shownBy() map[string]bool {
	out := map[string]bool{}
	for got, wants := range t {
		for _, want := range wants {
			for _, d := range differences {
				if got != want && d.is(got, want) {
					for op := range strings.FieldsSeq(d.operators) {
						out[op] = true
					}
				}
			}
		}
	}
	return out
}

func numbers(got, want string) (a, b float64, ok bool) {
	a, err1 := strconv.ParseFloat(numeral(got), 64)
	b, err2 := strconv.ParseFloat(numeral(want), 64)
	return a, b, err1 == nil && err2 == nil
}

var wrappedNumber = lazyregexp.New(`^(?:Decimal|Fraction|datetime\.timedelta|float64|int)\(['"]?(?:seconds=|days=)?(-?[\d.]+)['"]?\)$`)

func numeral(text string) string {
	if m := wrappedNumber.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

func byOne(got, want string) bool {
	a, b, ok := numbers(got, want)
	return ok && math.Abs(a-b) == 1
}

func negative(got, want string) bool {
	a, b, ok := numbers(got, want)
	return ok && a == -b
}

func opposite(got, want string) bool {
	a, b := strings.ToLower(got), strings.ToLower(want)
	return a == "true" && b == "false" || a == "false" && b == "true"
}

func missing(got, _ string) bool {
	return slices.Contains([]string{"None", "null", "undefined", "nil", "<nil>", "NaN"}, got)
}

func caseOnly(got, want string) bool { return strings.EqualFold(got, want) }

func blankOnly(got, want string) bool {
	for _, s := range []string{" ", `\n`, `\t`, `\r`} {
		got, want = strings.ReplaceAll(got, s, ""), strings.ReplaceAll(want, s, "")
	}
	return got == want
}

func reordered(got, want string) bool {
	a, b := []byte(got), []byte(want)
	slices.Sort(a)
	slices.Sort(b)
	return len(a) > 2 && slices.Equal(a, b)
}

func empty(got, want string) bool {
	return slices.Contains([]string{"[]", "{}", "()", "set()", "", "0", "map[]"}, got) && !missing(want, "") && len(want) > len(got)
}

// cutShort tells a value that lacks a part of the right one.
func cutShort(got, want string) bool {
	return len(got) > 2 && len(got) < len(want) && within(unbracketed(got), want)
}

// tooMuch tells a value that holds the right one and more.
func tooMuch(got, want string) bool {
	return len(want) > 1 && len(want) < len(got) && (within(unbracketed(want), got) || want == "[]" || want == "{}")
}

// unbracketed is a list's text without its brackets.
func unbracketed(text string) string { return strings.Trim(text, "[](){}") }

func within(part, whole string) bool {
	whole = unbracketed(whole)
	return strings.TrimSpace(part) != "" && (strings.HasPrefix(whole, part) || strings.HasSuffix(whole, part))
}

func nearly(got, want string) bool {
	a, b, ok := numbers(got, want)
	return ok && a != b && math.Abs(a-b) < 1
}

func scaled(got, want string) bool {
	a, b, ok := numbers(got, want)
	if !ok || a == 0 || b == 0 || math.Abs(a-b) <= 1 {
		return false
	}
	ratio := math.Max(a/b, b/a)
	return ratio > 1.5 && math.Abs(ratio-math.Round(ratio)) < 1e-9
}

var lazyValue = lazyregexp.New(`^<?(?:generator|map|filter|zip|coroutine|async_generator|bound method|function|dict_\w+|Promise|\[object)`)

func lazy(got, _ string) bool { return lazyValue.MatchString(got) }
