// Package text reads networks and prints journeys.
package text

import (
	"fmt"
	"strconv"
	"strings"

	"ferries/network"
	"ferries/routes"
)

// ParseNetwork reads lines such as "A - B 35" and "A > B 35 12".
func ParseNetwork(content string) (*network.Network, error) {
	net := network.New()
	for number, line := range strings.Split(content, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := parseLine(net, words); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	return net, nil
}

func parseLine(net *network.Network, words []string) error {
	if len(words) != 4 && len(words) != 5 {
		return fmt.Errorf("expected 4 or 5 words")
	}
	hop := network.Hop{From: words[0], To: words[2]}
	var err error
	if hop.Minutes, err = strconv.Atoi(words[3]); err != nil {
		return err
	}
	if len(words) == 5 {
		if hop.Fare, err = strconv.Atoi(words[4]); err != nil {
			return err
		}
	}
	switch words[1] {
	case "-":
		return net.AddBoth(hop)
	case ">":
		return net.Add(hop)
	}
	return fmt.Errorf("unknown sign %q", words[1])
}

// Table prints journeys, one in a line.
func Table(journeys []routes.Journey) string {
	if len(journeys) == 0 {
		return "no journey\n"
	}
	var out strings.Builder
	for _, journey := range journeys {
		minutes := journey.Minutes()
		fmt.Fprintf(&out, "%2d:%02d %5d  %s\n", minutes/60, minutes%60, journey.Fare(), journey)
	}
	return out.String()
}
