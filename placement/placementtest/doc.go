// Package placementtest is OpenStack Placement over HTTP, in memory.
package placementtest
