// Package unixsocket listens on unix sockets that have a path, for services that start again after they were killed.
//
// A socket outlives its process. [Listen] replaces one only if nobody answers there (the kernel refuses the connection),
// never one on which somebody listens, and never a file that is no socket. While it looks and binds it holds a lock on the
// directory, so that of two services that start at the same time one gets the socket and the other is told so. The lock
// leaves no file behind. Where there is no flock (not unix, AIX, Solaris) nothing is locked.
package unixsocket
