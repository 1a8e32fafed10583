module till

go 1.21
