package crash

import (
	"testing"

	"example.com/shop/price"
)

func TestBefore(t *testing.T) {}

func TestPanics(t *testing.T) {
	price.Mean(nil)
}

func TestAfter(t *testing.T) {}
