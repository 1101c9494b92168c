"""Answers questions about Parquet files with one reader: read.py duckdb|pyarrow|spark FILE...

Standard input: of each line a file, a column, an operator and a value, separated by tabs; "times" as the operator dumps the
column. Prints the reader's version, then of each question the number of rows, or the values in the order of the file.
"""
import os
import sys


def duckdb_reader():
    import duckdb

    connection = duckdb.connect()

    def values(file, column, is_time):
        what = f"epoch_us({column})" if is_time else column
        return [row[0] for row in connection.execute(f"SELECT {what} FROM read_parquet('{file}')").fetchall()]

    def count(file, column, operator, value):
        where = f"{column} {operator} {value}"
        return connection.execute(f"SELECT count(*) FROM read_parquet('{file}') WHERE {where}").fetchone()[0]

    return duckdb.__version__, values, count


def pyarrow_reader():
    import pyarrow
    import pyarrow.compute as compute
    import pyarrow.dataset as dataset
    import pyarrow.parquet as parquet

    def values(file, column, is_time):
        read = parquet.read_table(file, columns=[column]).column(0)
        return (read.cast(pyarrow.int64()) if is_time else read).to_pylist()

    def count(file, column, operator, value):
        field = compute.field(column)
        if value == "NULL":
            condition = field.is_null()
        else:
            one = value.strip("'") if value.startswith("'") else int(value)
            condition = {"=": field == one, ">=": field >= one, "<": field < one}[operator]
        # Of a dataset: row groups are left out by their statistics.
        return dataset.dataset(file, format="parquet").count_rows(filter=condition)

    return pyarrow.__version__, values, count


def spark_reader():
    import pyspark
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        # Each query is small and asked once: what Spark would generate and compile for it takes longer.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    frames = {}

    def frame(file):
        if file not in frames:
            frames[file] = spark.read.parquet(file)
        return frames[file]

    dumps = {}

    def values(file, column, is_time):
        # All columns at once: each query costs Spark more than the rows do.
        if file not in dumps:
            expressions = [
                f"unix_micros({name}) AS {name}" if kind == "timestamp" else name for name, kind in frame(file).dtypes
            ]
            dumps[file] = frame(file).selectExpr(*expressions).collect()
        return [row[column] for row in dumps[file]]

    def count(file, column, operator, value):
        return frame(file).where(f"{column} {operator} {value}").count()

    return pyspark.__version__, values, count


def main():
    version, values, count = {"duckdb": duckdb_reader, "pyarrow": pyarrow_reader, "spark": spark_reader}[sys.argv[1]]()
    print(version)
    for line in sys.stdin:
        file, column, operator, value = line.rstrip("\n").split("\t")
        if operator == "dump":
            for one in values(file, column, value == "time"):
                text = "null" if one is None else "=" + str(int(one) if isinstance(one, bool) else one)
                print(f"{os.path.basename(file)} {column} {text}")
        else:
            print(f"{os.path.basename(file)} {column} {operator} {value}: {count(file, column, operator, value)}")


main()
