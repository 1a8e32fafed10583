#include "textflag.h"

// enter is the whole of a tiny program: it locks itself by Landlock and becomes
// the payload. Its words are those of entered in enter_linux.go, its table is
// lockTable's. It has no stack frame, no data that can be written, and calls
// nothing but the kernel.
//
//	BX words given   R12 table, then candidates   R13 ruleset, then payload's words
//	R14 open folder  R15 environment
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ SP, BX
	MOVQ $0x400800, R12

	// R13 = landlock_create_ruleset(attributes, size, 0)
	LEAQ 8(R12), DI
	MOVQ 0(R12), SI
	XORL DX, DX
	MOVL $444, AX
	SYSCALL
	TESTQ AX, AX
	JLT  refused
	MOVQ AX, R13
	ADDQ $72, R12

rule:
	// R14 = openat(AT_FDCWD, path, O_PATH|O_CLOEXEC, 0)
	MOVQ 8(R12), SI
	TESTQ SI, SI
	JEQ  restrict
	MOVQ $-100, DI
	MOVL $0x280000, DX
	XORL R10, R10
	MOVL $257, AX
	SYSCALL
	CMPQ AX, $-2 // ENOENT: nothing to allow there
	JEQ  next
	TESTQ AX, AX
	JLT  refused
	MOVQ AX, R14

	// landlock_add_rule(ruleset, LANDLOCK_RULE_PATH_BENEATH, {rights, folder}, 0)
	MOVQ 0(R12), CX
	MOVQ CX, -32(SP)
	MOVQ R14, -24(SP)
	MOVQ R13, DI
	MOVL $1, SI
	LEAQ -32(SP), DX
	XORL R10, R10
	MOVL $445, AX
	SYSCALL
	TESTQ AX, AX
	JNE  refused

	// close(folder)
	MOVQ R14, DI
	MOVL $3, AX
	SYSCALL

next:
	ADDQ $16, R12
	JMP  rule

restrict:
	// landlock_restrict_self(ruleset, 0); close(ruleset)
	MOVQ R13, DI
	XORL SI, SI
	MOVL $446, AX
	SYSCALL
	TESTQ AX, AX
	JNE  refused
	MOVQ R13, DI
	MOVL $3, AX
	SYSCALL

	// The environment lies behind the words and a zero.
	MOVQ 0(BX), CX
	LEAQ 16(BX)(CX*8), R15
	LEAQ 16(BX), R12
	MOVQ R12, R13

payload:
	MOVQ 0(R13), CX
	ADDQ $8, R13
	CMPB 0(CX), $0
	JNE  payload

candidate:
	// execve(candidate, payload's words, environment)
	MOVQ 0(R12), DI
	CMPB 0(DI), $0
	JEQ  missing
	MOVQ R13, SI
	MOVQ R15, DX
	MOVL $59, AX
	SYSCALL
	CMPQ AX, $-8 // ENOEXEC: a script without a first line, for the shell
	JEQ  script
	ADDQ $8, R12
	JMP  candidate

script:
	// The empty word gives its place to the shell, the name to the path.
	MOVQ $0x400800, CX
	MOVQ 32(CX), DI
	MOVQ 0(R12), CX
	MOVQ CX, 0(R13)
	LEAQ -8(R13), SI
	MOVQ DI, 0(SI)
	MOVQ R15, DX
	MOVL $59, AX
	SYSCALL

missing:
	// write(2, words); write(2, name); exit_group(127)
	MOVQ $0x400800, CX
	MOVL $2, DI
	MOVQ 40(CX), SI
	MOVQ 48(CX), DX
	MOVL $1, AX
	SYSCALL
	MOVQ 0(R13), SI
	XORL DX, DX

length:
	CMPB (SI)(DX*1), $0
	JEQ  name
	INCQ DX
	JMP  length

name:
	MOVL $2, DI
	MOVL $1, AX
	SYSCALL
	MOVL $127, DI
	JMP  exit

refused:
	// write(2, words); exit_group(126)
	MOVQ $0x400800, CX
	MOVL $2, DI
	MOVQ 56(CX), SI
	MOVQ 64(CX), DX
	MOVL $1, AX
	SYSCALL
	MOVL $126, DI

exit:
	MOVL $231, AX
	SYSCALL
	INT  $3
	BYTE $'f'; BYTE $'e'; BYTE $'t'; BYTE $'t'; BYTE $'l'; BYTE $'e'; BYTE $0; BYTE $1

DATA ·enterAddress(SB)/8, $·enter(SB)
GLOBL ·enterAddress(SB), RODATA, $8
