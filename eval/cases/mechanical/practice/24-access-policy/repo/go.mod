module warden

go 1.21
