// Package persistence makes the states of a store survive.
package persistence
