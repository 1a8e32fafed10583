package parcel

import "fmt"

// TooHeavyError says that one item alone exceeds the limit.
type TooHeavyError struct {
	SKU   string
	Grams int
	Limit int
}

func (e *TooHeavyError) Error() string {
	return fmt.Sprintf("parcel: item %s weighs %d g, the limit is %d g", e.SKU, e.Grams, e.Limit)
}
