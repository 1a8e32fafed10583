// Package record has customer records and the keys they are matched by.
package record

import (
	"strings"
	"time"
)

// Customer is one record as it comes from a shop.
type Customer struct {
	ID      int
	Name    string
	Email   string
	Phone   string
	Updated time.Time
}

// Keys are the normalised e-mail address and telephone number, if any.
func (c Customer) Keys() []string {
	var keys []string
	if email := Email(c.Email); email != "" {
		keys = append(keys, "email:"+email)
	}
	if phone := Phone(c.Phone); phone != "" {
		keys = append(keys, "phone:"+phone)
	}
	return keys
}

// Email normalises an address; tags such as +news do not count.
func Email(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	local, domain, ok := strings.Cut(text, "@")
	if !ok || local == "" || domain == "" {
		return ""
	}
	local, _, _ = strings.Cut(local, "+")
	return local + "@" + domain
}

// Phone keeps the digits and replaces the leading + or 00.
func Phone(text string) string {
	var digits strings.Builder
	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits.WriteRune(r)
		}
	}
	number := digits.String()
	if strings.HasPrefix(strings.TrimSpace(text), "+") {
		number = "00" + number
	}
	if len(number) < 6 {
		return ""
	}
	return number
}
