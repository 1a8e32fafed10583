package mend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// worker is a process in a workspace that lives through many requests. Each request
// is a line of JSON, and so is each answer.
type worker struct {
	called  string           // in errors, such as "the Node worker"
	process *sandbox.Process // nil while there is none
	in      *json.Encoder
	out     *bufio.Reader
}

// start starts the process, hands it a first request unless that is nil, and waits
// until it says that it is ready.
func (w *worker) start(ctx context.Context, space *sandbox.Workspace, cmd sandbox.Command, first any) error {
	cmd.Needs = true
	var err error
	if w.process, err = space.Start(ctx, cmd); err != nil {
		return fmt.Errorf("starting %s: %w", w.called, err)
	}
	w.in, w.out = json.NewEncoder(w.process.Stdin), bufio.NewReaderSize(w.process.Stdout, 1<<16)
	var said struct{ Ready bool }
	if err = w.ask(first, &said); err == nil && !said.Ready {
		err = fmt.Errorf("%s is not ready", w.called)
	}
	return err
}

// ask hands over a request, unless that is nil, and reads the answer.
func (w *worker) ask(request, answer any) error {
	if request != nil {
		if err := w.in.Encode(request); err != nil {
			return fmt.Errorf("%s %w before it was asked: %w", w.called, errEnded, err)
		}
	}
	var line []byte
	for {
		part, err := w.out.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxAnswer {
			return fmt.Errorf("%s %w: %w", w.called, errEnded, err)
		}
	}
	if err := json.Unmarshal(line, answer); err != nil {
		return fmt.Errorf("%s %w with an answer that is not JSON: %w", w.called, errEnded, err)
	}
	return nil
}

// maxAnswer bounds what is read of a process that the code under test runs in.
const maxAnswer = 32 << 20

func (w *worker) stop() {
	if w.process != nil {
		w.process.Kill()
		_, _ = w.process.Wait() // it was killed
		w.process = nil
	}
}
