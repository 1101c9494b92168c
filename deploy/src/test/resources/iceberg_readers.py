"""Reads the table flowmon.flows of a REST catalog with one engine, for IcebergCatalogTest.

iceberg_readers.py ENGINE URI TOKEN TIME [JAR]

Prints the engine's version, the sums of all rows, the rows from TIME on and in how many files the
engine looks for them, and the rows of the first snapshot.
"""

import glob
import importlib.util
import os
import sys

engine, uri, token, time = sys.argv[1:5]
SUMS = (
    "count(*), sum(bytes), sum(src_as), max(src_as), max(flow_sequence), sum(dst_port),"
    " sum(protocol), count(input_if), min(src_addr), max(src_addr)"
)


def show(name, values):
    print(name, *values, sep="\t")


def pyiceberg():
    import pyarrow.compute as pc
    import pyiceberg
    from pyiceberg.catalog import load_catalog

    print(pyiceberg.__version__)
    catalog = load_catalog("flowmon", type="rest", uri=uri, token=token)
    assert catalog.list_tables("flowmon") == [("flowmon", "flows")]
    assert catalog.table_exists("flowmon.flows") and not catalog.table_exists("flowmon.no")
    table = catalog.load_table("flowmon.flows")
    rows = table.scan().to_arrow()
    show(
        "all",
        [rows.num_rows]
        + [
            function(rows[column]).as_py()
            for function, column in [
                (pc.sum, "bytes"),
                (pc.sum, "src_as"),
                (pc.max, "src_as"),
                (pc.max, "flow_sequence"),
                (pc.sum, "dst_port"),
                (pc.sum, "protocol"),
                (pc.count, "input_if"),
                (pc.min, "src_addr"),
                (pc.max, "src_addr"),
            ]
        ],
    )
    late = table.scan(row_filter=f"end_time >= '{time.replace(' ', 'T')}+00:00'")
    show("late", [late.to_arrow().num_rows, len(list(late.plan_files()))])
    first = table.snapshots()[0].snapshot_id
    show("first", [first, table.scan(snapshot_id=first).to_arrow().num_rows])
    try:
        table.delete("bytes > 0")
    except Exception as refused:
        show("write", [type(refused).__name__])


def duckdb():
    import duckdb

    print(duckdb.__version__)
    connection = duckdb.connect()
    for extension in ["avro", "httpfs", "icu", "iceberg"]:
        package = importlib.util.find_spec("duckdb_extension_" + extension)
        files = os.path.join(os.path.dirname(package.origin), "extensions/*/*.duckdb_extension")
        connection.execute(f"LOAD '{glob.glob(files)[0]}'")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(
        f"ATTACH '' AS catalog (TYPE iceberg, ENDPOINT '{uri}', TOKEN '{token}')"
    )
    table = "catalog.flowmon.flows"
    show("all", connection.execute(f"SELECT {SUMS} FROM {table}").fetchone())
    late = f"FROM {table} WHERE end_time >= TIMESTAMPTZ '{time}+00'"
    rows = connection.execute("SELECT count(*) " + late).fetchone()[0]
    plan = connection.execute("EXPLAIN ANALYZE SELECT sum(bytes) " + late).fetchone()[1]
    files = [line for line in plan.splitlines() if "Total Files Read" in line]
    show("late", [rows, int("".join(c for c in files[0] if c.isdigit()))])
    first, count = connection.execute(
        f"SELECT min(snapshot_id), count(*) FROM iceberg_snapshots({table})"
    ).fetchone()
    at = f"SELECT count(*) FROM {table} AT (VERSION => {first})"
    show("first", [first, connection.execute(at).fetchone()[0]])
    try:
        connection.execute(f"DELETE FROM {table}")
    except Exception as refused:
        show("write", [type(refused).__name__])


def spark():
    import pyspark
    from pyspark.sql import SparkSession

    print(pyspark.__version__)
    catalog = "spark.sql.catalog.flowmon"
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", sys.argv[5])
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.adaptive.enabled", "false")
        .config(catalog, "org.apache.iceberg.spark.SparkCatalog")
        .config(catalog + ".type", "rest")
        .config(catalog + ".uri", uri)
        .config(catalog + ".token", token)
        .getOrCreate()
    )
    table = "flowmon.flowmon.flows"
    show("all", session.sql(f"SELECT {SUMS} FROM {table}").collect()[0])
    late = session.sql(f"SELECT bytes FROM {table} WHERE end_time >= TIMESTAMP '{time}'")
    rows = len(late.collect())
    scan = late._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
    show("late", [rows, scan.metrics().apply("resultDataFiles").value()])
    history = session.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at")
    first = history.collect()[0][0]
    rows = session.sql(f"SELECT count(*) FROM {table} VERSION AS OF {first}").collect()[0][0]
    show("first", [first, rows])
    try:
        session.sql(f"DROP TABLE {table} PURGE")
    except Exception as refused:
        show("write", [type(refused).__name__])
    session.stop()


{"pyiceberg": pyiceberg, "duckdb": duckdb, "spark": spark}[engine]()
