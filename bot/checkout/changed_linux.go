package checkout

import "syscall"

// changed is when the file's content or state last changed, in ns since the epoch.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
