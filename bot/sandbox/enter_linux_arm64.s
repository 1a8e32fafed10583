#include "textflag.h"

// enter: see enter_linux_amd64.s.
//
//	R19 words given   R20 table, then candidates   R21 ruleset, then payload's words
//	R22 open folder   R23 environment
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-0
	MOVD RSP, R19
	MOVD $0x400800, R20

	// R21 = landlock_create_ruleset(attributes, size, 0)
	ADD  $8, R20, R0
	MOVD 0(R20), R1
	MOVD $0, R2
	MOVD $444, R8
	SVC
	TBNZ $63, R0, refused
	MOVD R0, R21
	ADD  $72, R20, R20

rule:
	// R22 = openat(AT_FDCWD, path, O_PATH|O_CLOEXEC, 0)
	MOVD 8(R20), R1
	CBZ  R1, restrict
	MOVD $-100, R0
	MOVD $0x280000, R2
	MOVD $0, R3
	MOVD $56, R8
	SVC
	CMN  $2, R0 // ENOENT: nothing to allow there
	BEQ  next
	TBNZ $63, R0, refused
	MOVD R0, R22

	// landlock_add_rule(ruleset, LANDLOCK_RULE_PATH_BENEATH, {rights, folder}, 0)
	MOVD 0(R20), R1
	SUB  $32, RSP, R2
	MOVD R1, 0(R2)
	MOVD R22, 8(R2)
	MOVD R21, R0
	MOVD $1, R1
	MOVD $0, R3
	MOVD $445, R8
	SVC
	CBNZ R0, refused

	// close(folder)
	MOVD R22, R0
	MOVD $57, R8
	SVC

next:
	ADD  $16, R20, R20
	B    rule

restrict:
	// landlock_restrict_self(ruleset, 0); close(ruleset)
	MOVD R21, R0
	MOVD $0, R1
	MOVD $446, R8
	SVC
	CBNZ R0, refused
	MOVD R21, R0
	MOVD $57, R8
	SVC

	// The environment lies behind the words and a zero.
	MOVD 0(R19), R1
	ADD  R1<<3, R19, R23
	ADD  $16, R23, R23
	ADD  $16, R19, R20
	MOVD R20, R21

payload:
	MOVD 0(R21), R1
	ADD  $8, R21, R21
	MOVBU 0(R1), R2
	CBNZ R2, payload

candidate:
	// execve(candidate, payload's words, environment)
	MOVD 0(R20), R0
	MOVBU 0(R0), R2
	CBZ  R2, missing
	MOVD R21, R1
	MOVD R23, R2
	MOVD $221, R8
	SVC
	CMN  $8, R0 // ENOEXEC: a script without a first line, for the shell
	BEQ  script
	ADD  $8, R20, R20
	B    candidate

script:
	// The empty word gives its place to the shell, the name to the path.
	MOVD $0x400800, R3
	MOVD 32(R3), R0
	MOVD 0(R20), R4
	MOVD R4, 0(R21)
	SUB  $8, R21, R1
	MOVD R0, 0(R1)
	MOVD R23, R2
	MOVD $221, R8
	SVC

missing:
	// write(2, words); write(2, name); exit_group(127)
	MOVD $0x400800, R3
	MOVD $2, R0
	MOVD 40(R3), R1
	MOVD 48(R3), R2
	MOVD $64, R8
	SVC
	MOVD 0(R21), R1
	MOVD $0, R2

length:
	ADD  R1, R2, R3
	MOVBU 0(R3), R4
	CBZ  R4, name
	ADD  $1, R2, R2
	B    length

name:
	MOVD $2, R0
	MOVD $64, R8
	SVC
	MOVD $127, R0
	B    exit

refused:
	// write(2, words); exit_group(126)
	MOVD $0x400800, R3
	MOVD $2, R0
	MOVD 56(R3), R1
	MOVD 64(R3), R2
	MOVD $64, R8
	SVC
	MOVD $126, R0

exit:
	MOVD $94, R8
	SVC
	BRK
	WORD $0x74746566
	WORD $0x0100656c

DATA ·enterAddress(SB)/8, $·enter(SB)
GLOBL ·enterAddress(SB), RODATA, $8
