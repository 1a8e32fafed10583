module stockroom

go 1.21
