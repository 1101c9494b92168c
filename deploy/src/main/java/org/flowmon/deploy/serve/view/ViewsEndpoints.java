package org.flowmon.deploy.serve.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.serve.access.Role;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.http.Route;
import org.flowmon.deploy.serve.lane.Lane;

/** The views that users of the server share, if it has a file for them. */
public final class ViewsEndpoints {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}/\\\\]{1,100}");
  private static final Pattern PARAMETER = Pattern.compile("[a-z]{1,20}");
  private static final Pattern TAG = Pattern.compile("\"(\\d{1,18})\"");
  private static final int MOST_PARAMETERS = 20;
  private static final int LONGEST = 10_000;

  private final Optional<SharedViews> views;

  public ViewsEndpoints(Optional<Path> file) {
    this.views = file.map(SharedViews::new);
  }

  public List<Route> routes(String api) {
    String one = api + "views/{name}";
    return List.of(
        Route.get(api + "views", Lane.SMALL, this::list),
        Route.get(one, Lane.SMALL, this::one),
        new Route("PUT", one, Optional.of(Role.ANALYST), Lane.SMALL, this::put),
        new Route("DELETE", one, Optional.of(Role.ANALYST), Lane.SMALL, this::remove));
  }

  private SharedViews views() {
    return views.orElseThrow(
        () ->
            new Problem(
                Problem.Code.UNAVAILABLE,
                "the server has no file for shared views: start it with --views FILE"));
  }

  private static String name(Exchange exchange) {
    exchange.fields().only();
    String name = exchange.fields().path("name");
    if (!NAME.matcher(name).matches() || !name.strip().equals(name)) {
      throw Problem.badRequest(
          "the name of a view has 1 to 100 characters, none of them / or \\, no blank at its ends");
    }
    return name;
  }

  private static ObjectNode named(String name, ObjectNode view) {
    ObjectNode named = JSON.createObjectNode().put("name", name);
    named.setAll(view);
    return named;
  }

  private void list(Exchange exchange) throws IOException {
    exchange.fields().only();
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode all = answer.putArray("views");
    views().all().forEach((name, view) -> all.add(named(name, view)));
    exchange.json(200, answer);
  }

  private void one(Exchange exchange) throws IOException {
    String name = name(exchange);
    ObjectNode view = views().all().get(name);
    if (view == null) {
      throw Problem.notFound("there is no view '" + name + "'");
    }
    answer(exchange, name, view);
  }

  private static void answer(Exchange exchange, String name, ObjectNode view) throws IOException {
    exchange.tag("\"" + view.path("revision").asLong() + "\"");
    exchange.json(200, named(name, view));
  }

  private void put(Exchange exchange) throws IOException {
    String name = name(exchange);
    JsonBodies body = exchange.body().only("page", "parameters");
    ObjectNode view = JSON.createObjectNode();
    view.put("page", body.choice("page", "", "explore", "flows"));
    view.set("parameters", parameters(body));
    view.put("by", exchange.caller().name());
    view.put("at", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    exchange.audit("view", name);
    answer(exchange, name, views().put(name, view, expected(exchange)));
  }

  private static ObjectNode parameters(JsonBodies body) {
    JsonNode given =
        body.member("parameters").orElseThrow(() -> Problem.badRequest("'parameters' is missing"));
    if (!given.isObject() || given.size() > MOST_PARAMETERS) {
      throw Problem.badRequest(
          "'parameters': expected an object of at most " + MOST_PARAMETERS + " members");
    }
    ObjectNode parameters = JSON.createObjectNode();
    for (Map.Entry<String, JsonNode> one : given.properties()) {
      boolean isText = one.getValue().isTextual() && one.getValue().asText().length() <= LONGEST;
      if (!isText || !PARAMETER.matcher(one.getKey()).matches()) {
        throw Problem.badRequest(
            "'parameters': expected names of a-z with texts of at most " + LONGEST + " characters");
      }
      parameters.set(one.getKey(), one.getValue());
    }
    return parameters;
  }

  private void remove(Exchange exchange) throws IOException {
    String name = name(exchange);
    exchange.audit("view", name);
    exchange.json(200, named(name, views().remove(name, expected(exchange))));
  }

  /** As If-Match and If-None-Match say. */
  private static SharedViews.Expected expected(Exchange exchange) {
    Optional<String> none = exchange.header("If-None-Match");
    Optional<String> match = exchange.header("If-Match");
    if (none.isPresent() && (match.isPresent() || !none.get().equals("*"))) {
      throw Problem.badRequest("If-None-Match: expected * alone, without If-Match");
    }
    if (none.isPresent()) {
      return new SharedViews.Expected.Nothing();
    }
    if (match.isEmpty()) {
      return new SharedViews.Expected.Anything();
    }
    Matcher tag = TAG.matcher(match.get());
    if (!tag.matches()) {
      throw Problem.badRequest("If-Match: expected the ETag of the view");
    }
    return new SharedViews.Expected.Revision(Long.parseLong(tag.group(1)));
  }
}
