module lakeproof/flow

go 1.19
