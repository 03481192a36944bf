module lakeproof/example

go 1.19

require lakeproof/flow v0.0.0

replace lakeproof/flow => ../../adapters/go
