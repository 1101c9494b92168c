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
    try (InputStream answer = server.post(PRINT, request(query));
        MappingIterator<JsonNode> parts = JSON.readerFor(JsonNode.class).readValues(answer)) {
      copy(parts, out);
    } catch (ServerProblem e) {
      throw refusal(e, query.text());
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

  private void copy(MappingIterator<JsonNode> parts, PrintedQuery.Output out) throws IOException {
    PrintWriter rows = out.rows();
    boolean isEnded = false;
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
        isEnded |= part.has("end");
      }
    } catch (ClosedOutputException e) {
      throw e;
    } catch (IOException e) {
      throw cut(": " + e.getMessage());
    }
    if (!isEnded) {
      throw cut("");
    }
  }

  private CommandException cut(String why) {
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
