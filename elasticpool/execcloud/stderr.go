package execcloud

import (
	"bufio"
	"io"
	"log/slog"
	"time"
)

// Of a plugin's standard error, so many bytes of a line and so many lines a minute are logged.
const (
	maxLogLine  = 4 << 10
	maxLogLines = 600
)

// logLines logs what a plugin writes to its standard error, line by line, until it ends.
func logLines(from io.Reader, log *slog.Logger) {
	in := bufio.NewReaderSize(from, maxLogLine)
	lines, minute := 0, time.Now()
	for {
		line, more, err := in.ReadLine()
		if err != nil {
			return
		}
		text := string(line)
		for more && err == nil {
			_, more, err = in.ReadLine()
		}
		if time.Since(minute) >= time.Minute {
			if lines > maxLogLines {
				log.Warn("plugin wrote more than is logged", "lines", lines-maxLogLines)
			}
			lines, minute = 0, time.Now()
		}
		if lines++; lines <= maxLogLines {
			log.Info("plugin says", "line", cut(text, maxLogLine))
		}
	}
}
