package org.flowmon.jobs.sql;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogFunctionImpl;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.GenericInMemoryCatalog;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.FunctionAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.factories.FactoryUtil;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.sql.function.ApproxDistinct;
import org.flowmon.jobs.sql.function.HeavyHitters;
import org.flowmon.jobs.sql.function.Quantile;
import org.flowmon.jobs.sql.row.SqlTypes;

/**
 * A catalog with the table {@code flows} of an archive in its database {@code history}, with every
 * column, and with aggregate functions. What else a session creates in it is kept in memory.
 */
final class FlowmonCatalog extends GenericInMemoryCatalog {
  static final String DATABASE = "history";
  static final String TABLE = "flows";

  private static final Map<String, Class<?>> FUNCTIONS =
      Map.of(
          "approx_distinct", ApproxDistinct.class,
          "quantile", Quantile.class,
          "heavy_hitters", HeavyHitters.class);

  private final ArchiveLocation archive;
  private final Map<String, String> options = new HashMap<>();

  /** {@code given}: all of the catalog's options. */
  FlowmonCatalog(String name, String archive, Map<String, String> given) {
    super(name, DATABASE);
    this.archive = FlowmonOptions.location(archive, given);
    given.forEach(
        (key, value) -> {
          if (key.startsWith(FlowmonOptions.STORE)) {
            options.put(key, value);
          }
        });
    options.put(FactoryUtil.CONNECTOR.key(), FlowmonOptions.IDENTIFIER);
    options.put(FlowmonOptions.ARCHIVE.key(), archive);
  }

  @Override
  public void open() {
    super.open();
    Schema.Builder schema = Schema.newBuilder();
    // An open archive makes its users' own columns known.
    try (Archive opened = Archive.open(archive, ArchiveOptions.DEFAULTS)) {
      for (FlowColumn column : FlowColumn.all()) {
        schema.column(column.sqlName(), SqlTypes.of(column.type()));
      }
      CatalogTable table =
          CatalogTable.newBuilder()
              .schema(schema.build())
              .comment("The flows of " + opened.location())
              .options(options)
              .build();
      createTable(new ObjectPath(DATABASE, TABLE), table, true);
      for (Map.Entry<String, Class<?>> function : FUNCTIONS.entrySet()) {
        createFunction(
            new ObjectPath(DATABASE, function.getKey()),
            new CatalogFunctionImpl(function.getValue().getName()),
            true);
      }
    } catch (IOException e) {
      throw new CatalogException("the archive " + archive + " cannot be opened: " + e, e);
    } catch (TableAlreadyExistException
        | FunctionAlreadyExistException
        | DatabaseNotExistException e) {
      throw new IllegalStateException(e); // the catalog is new
    }
  }
}
