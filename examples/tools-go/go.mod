module example.com/tools-go

go 1.19
