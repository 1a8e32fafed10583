package journal

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"till/money"
)

// Read gives the entries of a journal in their order. It stops at the first bad
// line.
func Read(in io.Reader) ([]Entry, error) {
	var err error
	current := newState()
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
			continue
		case strings.HasPrefix(words[0], "@"):
			err = current.directive(words)
		default:
			if err := current.add(words); err == nil {
				current.line = number
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return current.entries, lines.Err()
}

// add takes the words of a line that tells of a sale or refund.
func (s *state) add(words []string) error {
	entry, err := s.entry(words)
	if err != nil {
		return err
	}
	if count := len(s.entries); count > 0 && entry.Minute < s.entries[count-1].Minute {
		return fmt.Errorf("%s is before line %d", words[0], s.line)
	}
	s.entries = append(s.entries, entry)
	return nil
}

// entry reads "time kind group amount [currency]".
func (s *state) entry(words []string) (Entry, error) {
	if len(words) != 4 && len(words) != 5 {
		return Entry{}, fmt.Errorf("expected 4 or 5 words")
	}
	minute, err := parseMinute(words[0])
	if err != nil {
		return Entry{}, err
	}
	kind, err := parseKind(words[1])
	if err != nil {
		return Entry{}, err
	}
	amount, err := money.ParseCents(words[3])
	if err != nil {
		return Entry{}, err
	}
	if len(words) == 5 {
		rate, err := s.rate(words[4])
		if err != nil {
			return Entry{}, err
		}
		amount = rate.Convert(amount)
	}
	group := words[2]
	return Entry{
		Minute: minute,
		Kind:   kind,
		Group:  group,
		Amount: amount,
		Tax:    money.Contained(amount, s.tax(group)),
	}, nil
}

func parseMinute(text string) (int, error) {
	hour, minute, found := strings.Cut(text, ":")
	if !found {
		return 0, fmt.Errorf("bad time %q", text)
	}
	h, err := strconv.Atoi(hour)
	if err != nil || h < 0 || h > 23 {
		return 0, fmt.Errorf("bad time %q", text)
	}
	m, err := strconv.Atoi(minute)
	if err != nil || m < 0 || m > 59 {
		return 0, fmt.Errorf("bad time %q", text)
	}
	return h*60 + m, nil
}
