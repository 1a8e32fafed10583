package main

import (
	"fmt"
	"os"

	"roster/chart"
	"roster/people"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: roster FILE")
		os.Exit(2)
	}
	content, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	list, err := people.Parse(string(content))
	if err == nil {
		var c *chart.Chart
		if c, err = chart.Build(list); err == nil {
			fmt.Print(c.Text())
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
