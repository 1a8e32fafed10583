module rooms

go 1.21
