package main

import (
	"fmt"
	"os"

	"ferries/routes"
	"ferries/text"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: ferries FILE FROM TO")
		os.Exit(2)
	}
	content, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	net, err := text.ParseNetwork(string(content))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	journeys := routes.All(net, os.Args[2], os.Args[3], routes.MaxHops)
	fmt.Print(text.Table(journeys))
}
