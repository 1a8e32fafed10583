package code

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// opposites are words of names of functions of which one undoes the other.
var opposites = [][2]string{
	{"encode", "decode"}, {"dump", "load"}, {"dumps", "loads"}, {"parse", "format"}, {"parse", "stringify"}, {"parse", "serialize"},
	{"serialize", "deserialize"}, {"serialise", "deserialise"}, {"marshal", "unmarshal"}, {"pack", "unpack"}, {"escape", "unescape"},
	{"quote", "unquote"}, {"compress", "decompress"}, {"encrypt", "decrypt"}, {"flatten", "unflatten"}, {"wrap", "unwrap"}, {"to", "from"},
}

var nameWord = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+(?:[^a-z]|$)|\d+`)

// Inverse tells by the names of two functions whether one undoes the other:
// encode and decode, rows_to_dict and dict_to_rows, netFromGross and grossFromNet.
func Inverse(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) != len(y) || slices.Equal(x, y) {
		return false
	}
	for _, mid := range []string{"to", "from", "2"} {
		if i, j := slices.Index(x, mid), slices.Index(y, mid); i > 0 && j > 0 && slices.Equal(x[:i], y[j+1:]) && slices.Equal(x[i+1:], y[:j]) {
			return true
		}
	}
	differ := 0
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		differ++
		if !slices.Contains(opposites, [2]string{x[i], y[i]}) && !slices.Contains(opposites, [2]string{y[i], x[i]}) {
			return false
		}
	}
	return differ == 1
}

func words(name string) []string {
	var out []string
	for _, w := range nameWord.FindAllString(name, -1) {
		out = append(out, strings.ToLower(strings.Trim(w, "_-")))
	}
	return out
}
