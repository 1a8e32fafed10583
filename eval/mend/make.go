package main

import (
	"context"
	"errors"
)

func (o *options) prepare(context.Context) error  { return errors.New("not yet") }
func (o *options) makeBugs(context.Context) error { return errors.New("not yet") }
