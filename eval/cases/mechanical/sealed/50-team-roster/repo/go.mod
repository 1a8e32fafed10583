module roster

go 1.21
