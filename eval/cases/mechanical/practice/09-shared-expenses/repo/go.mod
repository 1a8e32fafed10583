module example.com/kitty

go 1.21
