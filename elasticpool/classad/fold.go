package classad

// fold returns the text with ASCII capitals made small. HTCondor compares names and strings without regard to case in
// the C locale, so other letters stay as they are.
func fold(text string) string { return mapBytes(text, lower) }

func capitals(text string) string { return mapBytes(text, upper) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// mapBytes works on bytes because a string of HTCondor need not be UTF-8.
func mapBytes(text string, change func(byte) byte) string {
	for i := range len(text) {
		if change(text[i]) == text[i] {
			continue
		}
		changed := []byte(text)
		for j := i; j < len(changed); j++ {
			changed[j] = change(changed[j])
		}
		return string(changed)
	}
	return text
}

// compareFolded orders two strings without regard to case, byte by byte, as strcasecmp does.
func compareFolded(x, y string) int {
	for i := range min(len(x), len(y)) {
		if a, b := lower(x[i]), lower(y[i]); a != b {
			return int(a) - int(b)
		}
	}
	return len(x) - len(y)
}

func equalFolded(x, y string) bool { return len(x) == len(y) && compareFolded(x, y) == 0 }
