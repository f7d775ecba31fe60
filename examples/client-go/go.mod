module example.com/switchboard-client

go 1.19
