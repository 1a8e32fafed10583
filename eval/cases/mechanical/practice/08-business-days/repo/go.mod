module example.com/receivables

go 1.21
