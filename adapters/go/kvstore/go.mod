module lakeproof/kvstore

go 1.19
