package code

import "testing"

func TestInverseGoesByNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"netFromGross", "grossFromNet", true}, {"rows_to_dict", "dict_to_rows", true}, {"Encode", "Decode", true}, {"to_hex", "from_hex", true},
		{"parse_date", "format_date", true}, {"unpack", "pack", true}, {"dumps", "loads", true}, {"hex2rgb", "rgb2hex", true},
		{"encode", "encode", false}, {"parse_date", "format_time", false}, {"mean", "median", false}, {"celsiusToKelvin", "kelvinToFahrenheit", false}, {"to", "to_from", false},
	} {
		if got := Inverse(tc.a, tc.b); got != tc.want || Inverse(tc.b, tc.a) != tc.want {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
}
