package price

func Mean(p []int) int {
	sum := 0
	for _, x := range p {
		sum += x
	}
	return sum / len(p) // at: mean
}
