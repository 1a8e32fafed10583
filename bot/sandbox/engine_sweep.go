package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Labels of our containers: whose state folder they belong to, and the box in it
// whose lock tells whether their process lives.
const (
	labelState = "dev.fettle.sandbox.state"
	labelBox   = "dev.fettle.sandbox.box"
)

// stateID is a random name that a state folder keeps, so that containers of
// other folders, machines and users of the same engine are never taken for ours.
func stateID(ctx context.Context, state string) (string, error) {
	unlock, err := lockFile(ctx, filepath.Join(state, "engine.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(state, "engine.id")
	data, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(data)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("sandbox: reading the state folder's name: %w", err)
	}
	id := nonce() + nonce()
	if err := os.WriteFile(path, []byte(id+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("sandbox: naming the state folder: %w", err)
	}
	return id, nil
}

// sweep removes containers that a killed process of this state folder left.
func (e *engine) sweep(ctx context.Context, state string) error {
	list, err := e.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", labelState+"="+e.state)})
	if err != nil {
		return fmt.Errorf("sandbox: looking for containers of dead processes: %w", err)
	}
	for _, c := range list.Items {
		box := c.Labels[labelBox]
		if c.Labels[labelState] != e.state || box == "" || filepath.Base(box) != box {
			continue
		}
		if alive(filepath.Join(state, boxesDir, box, "lock")) {
			continue
		}
		if err := e.remove(ctx, c.ID); err != nil {
			return fmt.Errorf("sandbox: removing a container of a dead process: %w; remove it by hand: docker rm -f %.12s", err, c.ID)
		}
		e.log.WithField("container", fmt.Sprintf("%.12s", c.ID)).Info("sandbox: removed a container of a dead process")
	}
	return nil
}

// remove kills and removes a container, with its volumes; one that is not there
// is no error.
func (e *engine) remove(ctx context.Context, id string) error {
	_, err := e.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) && strings.Contains(err.Error(), "already in progress") {
		return nil
	}
	return err
}
