package osapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// backoff is the wait before attempt+1: what Retry-After asks for, or else
// waitMin doubled with each attempt; never more than waitMax.
func backoff(waitMin, waitMax time.Duration, attempt int, resp *http.Response) time.Duration {
	if resp != nil {
		if wait, ok := retryAfter(resp.Header.Get("Retry-After")); ok {
			return min(max(wait, waitMin), waitMax)
		}
	}
	wait := waitMin
	for range attempt {
		if wait >= waitMax/2 {
			return waitMax
		}
		wait *= 2
	}
	return min(wait, waitMax)
}

// longest stands for every wait that no duration can hold.
const longest = time.Duration(1<<63 - 1)

// retryAfter reads the header as seconds or as one of HTTP's three date forms.
// Anything else, negative seconds too, counts as not given.
func retryAfter(value string) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseInt(value, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && seconds > 0:
		return longest, true
	case err == nil && seconds >= 0:
		if seconds > int64(longest/time.Second) {
			return longest, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(time.Until(date), 0), true
}
