package code

import (
	"bytes"
	"iter"
	"strings"
)

// Words gives the places at which a text holds a name as a whole word, where "$" is a
// part of names as letters are.
func Words[T string | []byte](text T, name string) iter.Seq[int] {
	return wordsOf(text, name, NameByte)
}

// HasWord tells whether a text has a word, where "$" is a part of none.
func HasWord[T string | []byte](text T, word string) bool {
	for range wordsOf(text, word, wordByte) {
		return true
	}
	return false
}

func wordsOf[T string | []byte](text T, word string, inside func(byte) bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; word != ""; at += len(word) {
			i := indexOf(text[at:], word)
			if i < 0 {
				return
			}
			at += i
			end := at + len(word)
			if (at == 0 || !inside(text[at-1])) && (end == len(text) || !inside(text[end])) && !yield(at) {
				return
			}
		}
	}
}

func indexOf[T string | []byte](text T, word string) int {
	if s, ok := any(text).(string); ok {
		return strings.Index(s, word)
	}
	return bytes.Index([]byte(text), []byte(word))
}

// NameByte tells whether a byte is part of a name: a letter, a digit, "_" or "$".
func NameByte(c byte) bool { return c == '$' || wordByte(c) }

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
