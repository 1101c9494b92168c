package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.http.AuditLog;
import org.flowmon.deploy.serve.http.Contract;
import org.flowmon.deploy.serve.http.HttpServer;
import org.flowmon.jobs.enrich.EnrichmentConfig;

/** A server in this JVM, and a client that holds each answer against the contract. */
final class TestServer implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNode CONTRACT = contract();
  private static final SchemaRegistry SCHEMAS =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  private static final Map<String, Schema> BY_NAME = new ConcurrentHashMap<>();

  final Server server;
  final Path audit;
  private final AuditLog log;
  private final HttpClient client = HttpClient.newHttpClient();

  private TestServer(Server server, Path audit, AuditLog log) {
    this.server = server;
    this.audit = audit;
    this.log = log;
  }

  private static JsonNode contract() {
    try {
      return JSON.readTree(Contract.read().json());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static TestServer start(Path folder, Path archive) throws IOException {
    return start(folder, archive, Tokens.NONE, Optional.empty(), Duration.ofSeconds(30));
  }

  static TestServer start(
      Path folder, Path archive, Tokens tokens, Optional<KafkaOptions> job, Duration most)
      throws IOException {
    return start(folder, archive, tokens, job, most, Optional.empty());
  }

  static TestServer start(
      Path folder,
      Path archive,
      Tokens tokens,
      Optional<KafkaOptions> job,
      Duration most,
      Optional<SSLContext> tls)
      throws IOException {
    Path audit = folder.resolve("audit.json");
    AuditLog log = AuditLog.open(Optional.of(audit));
    Server server =
        Server.start(
            new HttpServer.Settings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                List.of(),
                tokens,
                tls,
                log),
            new Server.Sources(
                "flowmon test",
                Archives.open(List.of(ArchiveLocation.parse(archive.toString(), Map.of()))),
                EnrichmentConfig.NONE,
                Optional.empty(),
                job,
                most,
                Optional.of(folder.resolve("views.json")),
                Optional.empty()));
    return new TestServer(server, audit, log);
  }

  /** An archive of flows in CSV. */
  static Path archive(Path folder, String csv) throws IOException {
    Path file = Files.writeString(folder.resolve("flows.csv"), csv);
    Path archive = folder.resolve("archive");
    CommandRun run = CommandRun.of("import", file, "--archive", archive);
    assertEquals(0, run.code(), run.err());
    return archive;
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.port() + path;
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url(path))).timeout(Duration.ofSeconds(60));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
    return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws Exception {
    return checked("get", path, send(request(path)));
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    return checked("post", path, send(jsonRequest("POST", path, body)));
  }

  HttpRequest.Builder jsonRequest(String method, String path, String body) {
    return request(path)
        .header("Content-Type", "application/json")
        .method(method, HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
  }

  /** The body of an answer that must be good. */
  JsonNode json(HttpResponse<String> answer) throws IOException {
    assertEquals(200, answer.statusCode(), answer.body());
    return JSON.readTree(answer.body());
  }

  JsonNode query(String sql) throws Exception {
    return json(post("/api/v1/query", JSON.writeValueAsString(Map.of("sql", sql))));
  }

  /** Holds an answer against the contract's schema for its status. */
  static HttpResponse<String> checked(String method, String path, HttpResponse<String> answer)
      throws IOException {
    String plain = path.split("\\?", 2)[0];
    JsonNode operation = null;
    for (Map.Entry<String, JsonNode> one : CONTRACT.get("paths").properties()) {
      if (plain.matches(one.getKey().replaceAll("\\{\\w+}", "[^/]+"))
          && one.getValue().has(method)) {
        boolean isExact = one.getKey().equals(plain);
        operation = operation == null || isExact ? one.getValue().get(method) : operation;
      }
    }
    assertTrue(operation != null, "the contract has no " + method + " " + plain);
    JsonNode responses = operation.get("responses");
    JsonNode response = responses.get(Integer.toString(answer.statusCode()));
    response = response == null ? responses.get("default") : response;
    assertTrue(response != null, plain + " may not answer " + answer.statusCode());
    if (response.has("$ref")) {
      response = CONTRACT.at(response.get("$ref").asText().substring(1));
    }
    String type = answer.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
    JsonNode content = response.get("content").get(type);
    assertTrue(content != null, plain + " may not answer " + type + ": " + answer.body());
    if (type.endsWith("json") && !type.equals("application/x-ndjson")) {
      String reference = content.get("schema").get("$ref").asText();
      List<Error> errors = schema(reference).validate(JSON.readTree(answer.body()));
      assertEquals(List.of(), errors, method + " " + path + ": " + answer.body());
    }
    return answer;
  }

  /** Holds a value against a schema of the contract. */
  static JsonNode checkedAs(String schema, JsonNode value) {
    Schema known = BY_NAME.computeIfAbsent(schema, name -> schema("#/components/schemas/" + name));
    assertEquals(List.of(), known.validate(value), schema + ": " + value);
    return value;
  }

  private static Schema schema(String reference) {
    // The whole contract, so that references in it are found.
    var whole = JSON.createObjectNode();
    whole.put("$ref", reference);
    whole.set("components", CONTRACT.get("components"));
    return SCHEMAS.getSchema(
        SchemaLocation.of("https://flowmon.test/" + reference.hashCode()), whole);
  }

  List<JsonNode> audited() throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(audit)) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  @Override
  public void close() {
    server.close();
    log.close();
  }
}
