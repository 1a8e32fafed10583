// Package grammar runs tree-sitter with eight grammars as one WebAssembly
// module inside the process: source bytes in, a flat table of syntax nodes
// out. The module is memory-safe whatever the input; size, memory and time of
// a parse are bounded (whatever loops in it asks every few milliseconds whether
// to stop, see module/meter.c), and a parse that hits a bound or traps costs
// only its own instance.
//
// The module is built from pinned sources by module/build.sh and committed packed,
// with its SHA-256 beside it. It must never read files of a repository, and
// nothing but package code should use it.
package grammar

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:embed languages.wasm.zst
var packed []byte

// Sums holds the SHA-256 of the unpacked and the packed module, in the format
// of sha256sum.
//
//go:embed languages.sha256
var Sums string

// The languages of the module; the order is the contract with runtime.c.
const (
	Python = iota
	JavaScript
	TypeScript
	TSX
	Go
	Java
	Rust
	Ruby
	languages
)

// Bounds of one parse.
const (
	MaxBytes      = 8 << 20          // largest source text, in bytes
	bigBytes      = 1 << 20          // texts above are parsed one at a time
	memoryPages   = 12288            // 768 MiB of 64 KiB pages an instance may grow to
	recycleBytes  = 48 << 20         // an instance that grew beyond is not kept
	recycleParses = 4000             // nor one that has parsed this often
	maxTime       = 20 * time.Second // of one parse, when the caller set no earlier deadline
)

// Errors of Parse, to be told apart with errors.Is.
var (
	ErrTooLarge = errors.New("source text is too large to parse")
	ErrStopped  = errors.New("parsing stopped")
)

// engine is the compiled module with its idle instances.
type engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	idle     chan *instance
	big      chan struct{}
	names    [languages]func() (*Names, error)
}

var shared = sync.OnceValues(start)

// start compiles the module, or loads it compiled from the user's cache
// folder. It runs once per process, at the first parse.
func start() (*engine, error) {
	ctx := context.Background()
	wasm, err := unpack()
	if err != nil {
		return nil, err
	}
	e := &engine{
		idle: make(chan *instance, max(2, runtime.GOMAXPROCS(0))),
		big:  make(chan struct{}, 1),
	}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages)
	if cache := compilationCache(); cache != nil {
		config = config.WithCompilationCache(cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return nil, fmt.Errorf("start the parser module: %w", err)
	}
	stop := func(ctx context.Context) uint32 {
		if ctx.Err() != nil {
			return 1
		}
		return 0
	}
	_, err = e.runtime.NewHostModuleBuilder("fettle").NewFunctionBuilder().WithFunc(stop).Export("stop").Instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("start the parser module: %w", err)
	}
	e.compiled, err = e.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, fmt.Errorf("compile the parser module: %w", err)
	}
	for lang := range languages {
		e.names[lang] = sync.OnceValues(func() (*Names, error) { return e.readNames(lang) })
	}
	return e, nil
}

func unpack() ([]byte, error) {
	// No stream: one that is started beside DecodeAll competes with it for the
	// decoder's blocks, and now and then both wait for ever.
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("unpack the parser module: %w", err)
	}
	defer d.Close()
	wasm, err := d.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack the parser module: %w; rebuild it with make wasm", err)
	}
	return wasm, nil
}

// compilationCache is a folder of the user's own where the compiled module is
// kept, or nil where there is none: then each process compiles anew.
func compilationCache() wazero.CompilationCache {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	dir := filepath.Join(base, "fettle", "wasm")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil
	}
	return cache
}

// instance is one copy of the module with its own memory; not safe for use by
// two goroutines at once.
type instance struct {
	module  api.Module
	parse   api.Function
	open    api.Function
	edit    api.Function
	table   api.Function
	alloc   api.Function
	release api.Function
	parses  int
}

func (e *engine) take(ctx context.Context) (*instance, error) {
	select {
	case in := <-e.idle:
		return in, nil
	default:
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	m, err := e.runtime.InstantiateModule(withMemory(context.WithoutCancel(ctx)), e.compiled, config)
	if err != nil {
		return nil, fmt.Errorf("start a parser: %w", err)
	}
	f := m.ExportedFunction
	return &instance{
		module: m, parse: f("f_parse"), open: f("f_open"), edit: f("f_edit"),
		table: f("f_table"), alloc: f("f_alloc"), release: f("f_release"),
	}, nil
}

// give puts a healthy, small instance back and closes any other.
func (e *engine) give(in *instance, healthy bool) {
	if healthy && in.parses < recycleParses && in.module.Memory().Size() <= recycleBytes {
		select {
		case e.idle <- in:
			return
		default:
		}
	}
	_ = in.module.Close(context.Background())
}
