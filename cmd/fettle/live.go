package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// live is the part of a terminal below the lines of progress that is drawn anew while a
// run works. It ends at the first ctrl-c: from then on there are lines alone, and the
// terminal is as it was, so that the second one may end the process at once.
type live struct {
	prog  *tea.Program
	ended chan struct{} // closed when the terminal is as it was
}

// liveOn says whether a live picture can be drawn on a stream, and is wanted: by the
// conventions of https://no-color.org, of services that build, and of screen readers.
func liveOn(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return nil, false
	}
	for _, name := range []string{"NO_COLOR", "CI", "ACCESSIBLE"} {
		if os.Getenv(name) != "" {
			return nil, false
		}
	}
	return f, os.Getenv("TERM") != "dumb"
}

// startLive begins to draw. Where keys cannot be read, the terminal sends ctrl-c as a signal.
func startLive(ctx context.Context, out *os.File, in io.Reader, limit time.Duration) *live {
	keys, ok := in.(*os.File)
	opts := []tea.ProgramOption{tea.WithOutput(out), tea.WithFPS(4), tea.WithoutSignalHandler(), tea.WithInput(nil)}
	if ok && term.IsTerminal(keys.Fd()) {
		opts[len(opts)-1] = tea.WithInput(keys)
	}
	l := &live{prog: tea.NewProgram(&liveModel{began: time.Now(), now: time.Now, limit: limit, width: 80, height: 24}, opts...), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		last, _ := l.prog.Run() // without a picture the lines still tell everything
		if m, ok := last.(*liveModel); ok && m.interrupted {
			fmt.Fprintln(out, "fettle: stopping, with the best attempt so far; ctrl-c again ends at once")
			_ = syscall.Kill(os.Getpid(), syscall.SIGINT) // what the terminal would have done
		}
	}()
	context.AfterFunc(ctx, l.end)
	return l
}

// line prints above the picture; it is false when there is none any more.
func (l *live) line(text string) bool { return l.send(liveLine(text)) }

func (l *live) send(m tea.Msg) bool {
	select {
	case <-l.ended:
		return false
	default:
		l.prog.Send(m)
		return true
	}
}

// end takes the picture away.
func (l *live) end() {
	l.prog.Send(liveEnd{})
	<-l.ended
}

// aside gives the terminal to somebody else for a while.
func (l *live) aside(do func()) {
	select {
	case <-l.ended:
		do()
		return
	default:
	}
	l.prog.Send(liveHidden(true))
	_ = l.prog.ReleaseTerminal() // whoever asks says what he has to in any case
	do()
	_ = l.prog.RestoreTerminal()
	l.prog.Send(liveHidden(false))
}

type (
	liveLine   string
	liveHidden bool
	liveEnd    struct{}
	liveTick   struct{}
)

// liveModel is what the picture shows.
type liveModel struct {
	now           func() time.Time
	began         time.Time
	limit         time.Duration
	width, height int
	frame         int
	at            task.Progress
	tried         *task.Attempt // the last one that was judged
	hidden        bool
	interrupted   bool
}

// liveEvery is how often the clock moves: a picture of a run that waits costs next to nothing.
const liveEvery = time.Second

func (m *liveModel) tick() tea.Cmd {
	return tea.Tick(liveEvery, func(time.Time) tea.Msg { return liveTick{} })
}

func (m *liveModel) Init() tea.Cmd { return m.tick() }

func (m *liveModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case liveTick:
		m.frame++
		return m, m.tick()
	case liveLine:
		return m, tea.Println(string(msg))
	case task.Progress:
		m.at = msg
	case task.Attempt:
		m.tried = &msg
	case liveHidden:
		m.hidden = bool(msg)
	case liveEnd:
		m.hidden = true
		return m, tea.Quit
	case tea.KeyPressMsg:
		switch msg.String() {
		case "ctrl+c":
			m.hidden, m.interrupted = true, true
			return m, tea.Quit
		case "ctrl+z":
			return m, tea.Suspend
		}
	}
	return m, nil
}

func (m *liveModel) View() tea.View {
	if m.hidden {
		return tea.NewView("")
	}
	return tea.NewView(strings.Join(m.lines(), "\n"))
}

// lines fit into the window: a line more than its height would scroll away what is above,
// and one that is too wide would be two.
func (m *liveModel) lines() []string {
	faint := lipgloss.NewStyle().Faint(true)
	all := []string{m.head()}
	if a := m.tried; a != nil {
		all = append(all, fmt.Sprintf("  attempt %d (%s): %s", a.Number, a.Tier, m.verdict()))
	}
	all = append(all, faint.Render("  ctrl-c: stop, and keep the best attempt; twice: stop at once"))
	if a := m.tried; a != nil && a.Diff != "" {
		const around = 2 // lines of the terminal that stay free
		all = append(all, m.diff(redact.New().Log(a.Diff), min(m.height-around, 16)-len(all))...)
	}
	all = all[:max(1, min(len(all), m.height-1))]
	for i, l := range all {
		all[i] = ansi.Truncate(l, max(1, m.width-1), "…")
	}
	return all
}

// head is where the run stands, what is most important first.
func (m *liveModel) head() string {
	bold := lipgloss.NewStyle().Bold(true)
	where := m.at.Phase
	if where == "" {
		where = "begin"
	}
	words := []string{string([]rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[m.frame%10]) + " " + bold.Render(where)}
	spent := m.now().Sub(m.began)
	clock := minutes(spent)
	if m.limit > 0 {
		clock += " (" + minutes(max(0, m.limit-spent)) + " left)"
	}
	words = append(words, clock)
	if m.at.Tier != "" {
		words = append(words, fmt.Sprintf("%s, attempt %d", m.at.Tier, m.at.Attempt))
	}
	if m.at.Budget > 0 {
		words = append(words, fmt.Sprintf("%s of %s", m.at.Cost, m.at.Budget))
	}
	return strings.Join(words, " · ")
}

// minutes is a time as a clock shows it.
func minutes(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// verdict is what the tests said of the last attempt.
func (m *liveModel) verdict() string {
	a := m.tried
	plain := lipgloss.NewStyle()
	var words []string
	for _, n := range []struct {
		count int
		what  string
		style lipgloss.Style
	}{
		{len(a.Fixed), "turned green", plain.Foreground(lipgloss.Green)},
		{len(a.Broken), "turned red", plain.Foreground(lipgloss.Red)},
		{max(0, len(a.Red)-len(a.Broken)), "still red", plain.Foreground(lipgloss.Magenta)}, // yellow can hardly be read on white,
	} {
		if n.count > 0 {
			words = append(words, n.style.Render(task.Count(n.count, "test")+" "+n.what))
		}
	}
	if len(words) == 0 && a.Why != "" {
		words = append(words, clean(a.Why))
	}
	if len(words) == 0 {
		words = append(words, "no change that could be tested")
	}
	return strings.Join(words, ", ")
}

// diff is as much of a diff as there is room for: what it changes, and how much more.
func (m *liveModel) diff(text string, room int) []string {
	if room < 3 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var out []string
	for _, l := range lines {
		if !strings.HasPrefix(l, "diff --git") && !strings.HasPrefix(l, "index ") && !strings.HasPrefix(l, "--- ") && !strings.HasPrefix(l, "similarity ") {
			out = append(out, strings.ReplaceAll(l, "\t", "    "))
		}
	}
	left := ""
	if len(out) > room {
		left = lipgloss.NewStyle().Faint(true).Render(fmt.Sprintf("  … %d more lines", len(out)-room+1))
		out = out[:room-1]
	}
	out = strings.Split(strings.TrimRight(colourDiff(strings.Join(out, "\n")), "\n"), "\n")
	for i := range out {
		out[i] = "  " + out[i]
	}
	if left != "" {
		out = append(out, left)
	}
	return out
}
