package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// svg is a drawing of numbers and fixed words. Colours are the stylesheet's, so that it
// reads on light and dark alike.
type svg = template.HTML

// The size of a chart of days.
const (
	chartWide, chartHigh = 640.0, 200.0
	chartLeft, chartFoot = 84.0, 34.0
)

// bar is a day's bar: the lower part is drawn in another colour.
type bar struct {
	whole, part float64
	words       string
}

// barChart draws a bar for each day, with an axis in units.
func barChart(title string, days []dayRow, of func(dayRow) bar, unit func(float64) string) svg {
	most := 0.0
	for _, d := range days {
		most = max(most, of(d).whole)
	}
	if most == 0 {
		most = 1
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s"><title>%s</title>`, chartWide, chartHigh, esc(title), esc(title))
	high := chartHigh - chartFoot - 10
	for i := range 5 {
		y := chartHigh - chartFoot - high*float64(i)/4
		fmt.Fprintf(&b, `<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/><text class="axis" x="%g" y="%.1f" text-anchor="end">%s</text>`,
			chartLeft, chartWide, y, y, chartLeft-6, y+4, esc(unit(most*float64(i)/4)))
	}
	step := (chartWide - chartLeft) / float64(max(len(days), 1))
	for i, d := range days {
		x, v := chartLeft+step*float64(i), of(d)
		for _, part := range []struct {
			class string
			n     float64
		}{{"whole", v.whole}, {"part", v.part}} {
			if h := high * part.n / most; h > 0 {
				fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`, part.class, x+1, chartHigh-chartFoot-h, max(step-2, 1), h, esc(v.words))
			}
		}
		if (len(days)-1-i)%7 == 0 {
			fmt.Fprintf(&b, `<text class="axis" x="%.1f" y="%g" text-anchor="end">%s</text>`, x+step, chartHigh-6, d.Day.Format("2 Jan"))
		}
	}
	b.WriteString("</svg>")
	return svg(b.String()) //nolint:gosec // numbers, dates and what esc made of words
}

func esc(s string) string { return template.HTMLEscapeString(s) }

func runsChart(days []dayRow) svg {
	return barChart("Runs a day, and how many of them ended well", days, func(d dayRow) bar {
		return bar{float64(d.Runs), float64(d.Success), fmt.Sprintf("%s: %s, %d well", d.Day.Format(time.DateOnly), task.Count(d.Runs, "run"), d.Success)}
	}, func(f float64) string { return fmt.Sprintf("%.3g", f) })
}

func moneyChart(days []dayRow) svg {
	return barChart("Cost of a day's runs", days, func(d dayRow) bar {
		return bar{d.Cost.Float(), 0, fmt.Sprintf("%s: %s", d.Day.Format(time.DateOnly), d.Cost)}
	}, func(f float64) string { return "$" + fmt.Sprintf("%.2g", f) })
}

// outcomeChart draws a line for each outcome.
func outcomeChart(rows []outcomeRow) svg {
	const wide, line, left = 640.0, 26.0, 190.0
	most := 1
	for _, r := range rows {
		most = max(most, r.Runs)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="How runs ended"><title>How runs ended</title>`, wide, line*float64(max(len(rows), 1)))
	for i, r := range rows {
		y := line * float64(i)
		class := "whole"
		if r.Outcome == task.Success {
			class = "part"
		}
		fmt.Fprintf(&b, `<text class="axis" x="%g" y="%.1f" text-anchor="end">%s</text><rect class="%s" x="%g" y="%.1f" width="%.1f" height="%g"/><text class="axis" x="%.1f" y="%.1f">%d</text>`,
			left-8, y+17, esc(words(r.Outcome)), class, left, y+4, (wide-left-60)*float64(r.Runs)/float64(most), line-8, left+(wide-left-60)*float64(r.Runs)/float64(most)+6, y+17, r.Runs)
	}
	b.WriteString("</svg>")
	return svg(b.String()) //nolint:gosec // numbers and what esc made of words
}

// words is a name of the code as people read it.
func words[T ~string](s T) string { return strings.ReplaceAll(string(s), "_", " ") }
