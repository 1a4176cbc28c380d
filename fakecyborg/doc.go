// Package fakecyborg is manual to be written.
package fakecyborg
