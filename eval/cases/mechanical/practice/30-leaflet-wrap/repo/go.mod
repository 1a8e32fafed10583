module leaflet

go 1.21
