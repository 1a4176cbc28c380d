package quota

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Serve answers on the listeners until ctx is done, then closes them, lets requests that are being answered end, and
// returns when nothing of it runs any more. It opens the listeners unless Listen has done so. It can be called once.
func (s *Server) Serve(ctx context.Context) error {
	if len(s.listeners) == 0 {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	var wg sync.WaitGroup
	for _, l := range s.listeners {
		wg.Go(func() { s.accept(ctx, l, &wg) })
	}
	<-ctx.Done()
	s.closeListeners()
	wg.Wait()
	return nil
}

// accept serves connections of one listener, at most MaxConnections at a time.
func (s *Server) accept(ctx context.Context, l net.Listener, wg *sync.WaitGroup) {
	slots := make(chan struct{}, s.limits.MaxConnections)
	pause := time.Duration(0)
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		conn, err := l.Accept()
		if err == nil {
			pause = 0
			wg.Go(func() {
				defer func() { <-slots }()
				s.ServeConn(ctx, s.secure(l, conn))
			})
			continue
		}
		<-slots
		if errors.Is(err, net.ErrClosed) {
			return
		}
		// Out of file descriptors, most likely: that passes.
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.log.Warn("accept a connection to the quota service", "error", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// secure puts TLS over connections that came over TCP.
func (s *Server) secure(l net.Listener, conn net.Conn) net.Conn {
	if _, tcp := l.(*net.TCPListener); tcp && s.tls != nil {
		return tls.Server(conn, s.tls)
	}
	return conn
}

// ServeConn answers the requests of one connection, one line each, and closes it: after an empty line, as VCondor's
// service does, after a deadline, or when ctx is done.
func (s *Server) ServeConn(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }() // what could not be sent is the client's loss
	// A read that waits ends at once when the service does; an answer that is being written may go out.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	lines := bufio.NewReaderSize(conn, s.limits.MaxLine)
	for {
		err := conn.SetDeadline(time.Now().Add(s.limits.ReadTimeout))
		if err != nil || ctx.Err() != nil {
			return
		}
		if !s.exchange(conn, lines) {
			return
		}
	}
}

// exchange reads one request and answers it. It returns false when the connection is to be closed.
func (s *Server) exchange(conn net.Conn, lines *bufio.Reader) bool {
	line, err := lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		s.refuseLongLine(conn, lines)
		return false
	}
	line = bytes.TrimSpace(line) // as Python's strip
	if len(line) == 0 || err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	answer, last := s.reply(line)
	return s.send(conn, answer) && !last && err == nil
}

// send writes an answer within the deadline.
func (s *Server) send(conn net.Conn, answer []byte) bool {
	if conn.SetWriteDeadline(time.Now().Add(s.limits.WriteTimeout)) != nil {
		return false
	}
	_, err := conn.Write(answer)
	return err == nil
}

// refuseLongLine answers a request that is too long. What the client still sends is read for a while, since closing
// with input unread would reset the connection and take the answer with it.
func (s *Server) refuseLongLine(conn net.Conn, lines *bufio.Reader) {
	answer, err := Response{Error: ErrRequest.Error() + ": the line is too long"}.encode(false)
	if err != nil || !s.send(conn, answer) {
		return
	}
	const patience, most = time.Second, 1 << 20
	if conn.SetReadDeadline(time.Now().Add(min(patience, s.limits.ReadTimeout))) == nil {
		_, _ = io.CopyN(io.Discard, lines, most) // the reason why it ends does not matter
	}
}
