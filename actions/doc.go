// Package actions is the place of the GitHub Action and its reusable workflow:
// the same engine inside a job. There is nothing here yet.
package actions
