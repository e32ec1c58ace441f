//go:build !unix

package commands

// infoCPU tells nothing where the system does not.
func infoCPU(*Session, *infoText) {}
