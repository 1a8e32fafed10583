module agenda

go 1.21
