package setup

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	fmt.Println("no database")
	os.Exit(3)
}

func TestNever(t *testing.T) {}
