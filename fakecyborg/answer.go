package fakecyborg

// asAnswer makes a handler's result of a typed value, without turning the value
// of a failure into an answer.
func asAnswer[T any](value T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return value, nil
}
