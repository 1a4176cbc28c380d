// Package near finds what a misspelt name was probably meant to be: [Distance] tells how far two names are apart, and
// [Question] asks whether one of those that are near was meant. How far is near, its callers decide.
package near
