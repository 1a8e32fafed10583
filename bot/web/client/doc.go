// Package client is what a generator makes of openapi.json. Tests speak to the API by it, so
// that the description and the server agree; nothing else uses it.
package client

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yml ../openapi.json
