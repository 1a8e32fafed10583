package answer

// Read reads an answer to no prompt in particular. The error is a *Malformed.
func (s *Shape[T]) Read(text, finish string) (T, Report, error) {
	v, r, bad := s.read(text, finish, "")
	if bad != nil {
		var none T
		return none, r, bad
	}
	return v, r, nil
}
