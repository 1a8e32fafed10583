package page

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Links builds a Link header with the neighbours of the page.
func Links(base *url.URL, req Request, total int) string {
	var links []string
	add := func(rel string, number int) {
		u := *base
		query := u.Query()
		query.Set("page", strconv.Itoa(number))
		query.Set("size", strconv.Itoa(req.Size))
		u.RawQuery = query.Encode()
		links = append(links, fmt.Sprintf("<%s>; rel=%q", u.String(), rel))
	}
	last := req.Pages(total)
	if req.Number > 1 && last > 0 {
		add("prev", min(req.Number-1, last))
	}
	if req.Number < last {
		add("next", req.Number+1)
	}
	return strings.Join(links, ", ")
}
