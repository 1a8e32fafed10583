package storetest

import "syscall"

// diesWithParent has the system stop the server when the thread that started
// it ends, which is when the tests end, however they do.
func diesWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
