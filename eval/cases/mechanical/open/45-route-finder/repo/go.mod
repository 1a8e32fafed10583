module ferries

go 1.21
