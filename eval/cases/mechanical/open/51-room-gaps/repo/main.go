package main

import (
	"fmt"
	"os"
	"strconv"

	"rooms/busy"
	"rooms/clock"
	"rooms/plan"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: rooms FILE MINUTES SEATS")
		os.Exit(2)
	}
	content, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	house, err := busy.Parse(string(content))
	if err != nil {
		fail(err)
	}
	minutes, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fail(err)
	}
	seats, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	day := clock.Span{From: 8 * 60, To: 18 * 60}
	for _, offer := range plan.Offers(house, day, minutes, seats) {
		fmt.Println(offer)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
