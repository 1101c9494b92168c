package org.flowmon.deploy.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.remote.ServerClient;
import org.flowmon.deploy.remote.ServerProblem;
import org.flowmon.udaf.text.QueryException;

/** A server, which answers and prints; this process writes what it sends. */
public final class ServerPlace implements QueryPlace {
  private static final String PRINT = "api/v1/print";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ServerClient server;
  private final LimitOptions limits;

  public ServerPlace(ServerClient server, LimitOptions limits) {
    this.server = server;
    this.limits = limits;
  }

  @Override
  public void print(PrintedQuery query, PrintedQuery.Output out) throws IOException {
    var unused = print(server, PRINT, request(query), query.text(), out);
  }

  /**
   * Prints what a server sends.
   *
   * @param path of a request whose answer is parts of what is printed
   * @param text the query, which errors are shown in
   * @return the exit code
   */
  public static int print(
      ServerClient server, String path, ObjectNode request, String text, PrintedQuery.Output out)
      throws IOException {
    try (InputStream answer = server.post(path, request);
        MappingIterator<JsonNode> parts = JSON.readerFor(JsonNode.class).readValues(answer)) {
      return copy(server, parts, out);
    } catch (ServerProblem e) {
      throw refusal(e, text);
    } catch (ClosedOutputException e) {
      server.cancel();
      throw e;
    }
  }

  /** As if the text were refused here. */
  private static RuntimeException refusal(ServerProblem e, String text) {
    String message = String.valueOf(e.getMessage());
    if (e.position() >= 0) {
      return QueryText.wrong(message, text, e.position());
    }
    return e.isOfQuery()
        ? new QueryException(message)
        : e.isOfRequest() ? new UsageException(message) : e;
  }

  private ObjectNode request(PrintedQuery query) {
    ObjectNode request = JSON.createObjectNode();
    request.put("sql", query.text());
    query.parameters().forEach(request.putArray("parameters")::add);
    request.put("format", query.format().name().toLowerCase(Locale.ROOT));
    request.put("explain", query.isExplained());
    request.put("verbose", query.isVerbose());
    limits.write(request);
    return request;
  }

  private static int copy(
      ServerClient server, MappingIterator<JsonNode> parts, PrintedQuery.Output out)
      throws IOException {
    PrintWriter rows = out.rows();
    JsonNode end = null;
    try {
      while (parts.hasNextValue()) {
        JsonNode part = parts.nextValue();
        if (part.has("rows")) {
          rows.print(part.get("rows").textValue());
          ClosedOutputException.check(rows);
        } else if (part.has("note")) {
          out.note(part.get("note").asText());
        } else if (part.has("confidence")) {
          List<String> lines = new ArrayList<>();
          part.path("words").forEach(line -> lines.add(line.asText()));
          out.confidence(lines, Facts.of(part.get("confidence")));
        }
        end = part.has("end") ? part : end;
      }
    } catch (ClosedOutputException e) {
      throw e;
    } catch (IOException e) {
      throw cut(server, ": " + e.getMessage());
    }
    if (end == null) {
      throw cut(server, "");
    }
    return end.path("code").asInt(ExitCodes.DONE);
  }

  private static CommandException cut(ServerClient server, String why) {
    return new CommandException(
        "the answer of "
            + server.name()
            + " is cut off"
            + why
            + "; the server's audit says why, for example its --time-limit");
  }

  @Override
  public void cancel() {
    server.cancel();
  }

  @Override
  public String name() {
    return server.name();
  }

  @Override
  public void close() {}
}
