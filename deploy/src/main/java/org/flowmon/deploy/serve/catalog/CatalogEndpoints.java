package org.flowmon.deploy.serve.catalog;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.TableMetadataParser;
import org.flowmon.archive.Archive;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.iceberg.IcebergTable;
import org.flowmon.deploy.serve.access.Role;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.http.Route;
import org.flowmon.deploy.serve.lane.Lane;

/**
 * The reading half of Iceberg's REST catalog: the namespace {@code flowmon} with a table for each
 * archive. {@code RequestHandler} refuses what would write.
 */
public final class CatalogEndpoints implements AutoCloseable {
  private static final String PREFIX = "/iceberg/v1/";
  private static final String NAMESPACE = "flowmon";
  private static final String ONE_NAMESPACE = PREFIX + "namespaces/{namespace}";
  private static final String ONE_TABLE = ONE_NAMESPACE + "/tables/{table}";

  /** What clients may ask; without {@code prefix} as there is none. */
  private static final List<String> OFFERED =
      List.of(
          "GET /v1/{prefix}/namespaces",
          "GET /v1/{prefix}/namespaces/{namespace}",
          "HEAD /v1/{prefix}/namespaces/{namespace}",
          "GET /v1/{prefix}/namespaces/{namespace}/tables",
          "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
          "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}");

  private final Map<String, ServedTable> tables = new LinkedHashMap<>();

  /**
   * Tables {@code flows}, {@code flows_2}, … of the archives in their order. {@code folder}: for
   * the tables' metadata, one folder each; empty: within the archives.
   */
  public CatalogEndpoints(List<Archive> archives, Optional<ArchiveLocation> folder) {
    for (Archive archive : archives) {
      String name = tables.isEmpty() ? "flows" : "flows_" + (tables.size() + 1);
      Optional<ArchiveLocation> own =
          folder.map(all -> new ArchiveLocation(all.address() + "/" + name, all.settings()));
      tables.put(name, new ServedTable(archive, own));
    }
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    routes.add(Route.get(PREFIX + "config", Lane.SMALL, this::config));
    routes.add(Route.get(PREFIX + "namespaces", Lane.SMALL, this::namespaces));
    routes.add(Route.get(ONE_NAMESPACE, Lane.SMALL, this::namespace));
    routes.add(head(ONE_NAMESPACE, this::namespaceExists));
    routes.add(Route.get(ONE_NAMESPACE + "/tables", Lane.SMALL, this::tables));
    routes.add(Route.get(ONE_TABLE, Lane.REMOTE, this::table));
    routes.add(head(ONE_TABLE, this::tableExists));
    return routes;
  }

  private static Route head(String path, Endpoint endpoint) {
    return new Route("HEAD", path, Optional.of(Role.READ), Lane.SMALL, endpoint);
  }

  private void config(Exchange exchange) throws IOException {
    exchange.fields().only("warehouse");
    exchange.json(200, Map.of("defaults", Map.of(), "overrides", Map.of(), "endpoints", OFFERED));
  }

  private void namespaces(Exchange exchange) throws IOException {
    exchange.fields().only("parent", "pageToken", "pageSize");
    boolean isTop = exchange.fields().text("parent").filter(name -> !name.isEmpty()).isEmpty();
    if (!isTop) {
      requireNamespace(exchange.fields().required("parent"));
    }
    exchange.json(200, Map.of("namespaces", isTop ? List.of(List.of(NAMESPACE)) : List.of()));
  }

  private void namespace(Exchange exchange) throws IOException {
    exchange.fields().only();
    requireNamespace(exchange.fields().path("namespace"));
    exchange.json(200, Map.of("namespace", List.of(NAMESPACE), "properties", Map.of()));
  }

  private void namespaceExists(Exchange exchange) throws IOException {
    requireNamespace(exchange.fields().path("namespace"));
    exchange.done();
  }

  private void tables(Exchange exchange) throws IOException {
    exchange.fields().only("pageToken", "pageSize");
    requireNamespace(exchange.fields().path("namespace"));
    exchange.json(
        200,
        Map.of(
            "identifiers",
            tables.keySet().stream()
                .map(name -> Map.of("namespace", List.of(NAMESPACE), "name", name))
                .toList()));
  }

  private void table(Exchange exchange) throws IOException {
    exchange.fields().only("snapshots", "referenced-by");
    IcebergTable.State state = required(exchange).load();
    exchange.audit("metadata", state.location());
    exchange.json(json -> write(state, json));
  }

  private static void write(IcebergTable.State state, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("metadata-location", state.location());
    json.writeFieldName("metadata");
    json.writeRawValue(TableMetadataParser.toJson(state.metadata()));
    json.writeObjectFieldStart("config");
    json.writeEndObject();
    json.writeEndObject();
  }

  private void tableExists(Exchange exchange) throws IOException {
    required(exchange);
    exchange.done();
  }

  private static void requireNamespace(String name) {
    if (!name.equals(NAMESPACE)) {
      throw Problem.notFound("there is no namespace " + name + "; there is " + NAMESPACE);
    }
  }

  private ServedTable required(Exchange exchange) {
    requireNamespace(exchange.fields().path("namespace"));
    String name = exchange.fields().path("table");
    ServedTable table = tables.get(name);
    if (table == null) {
      throw Problem.notFound(
          "there is no table " + name + "; there are " + String.join(", ", tables.keySet()));
    }
    return table;
  }

  @Override
  public void close() {
    tables.values().forEach(ServedTable::close);
  }
}
