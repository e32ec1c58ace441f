//go:build unix

package commands

import (
	"fmt"
	"syscall"
)

// infoCPU tells the processor time that the process has used.
func infoCPU(_ *Session, b *infoText) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return
	}
	b.field("used_cpu_sys", fmt.Sprintf("%d.%06d", u.Stime.Sec, u.Stime.Usec))
	b.field("used_cpu_user", fmt.Sprintf("%d.%06d", u.Utime.Sec, u.Utime.Usec))
	b.field("used_cpu_sys_children", "0.000000")
	b.field("used_cpu_user_children", "0.000000")
}
