package org.flowmon.deploy.remote;

import com.fasterxml.jackson.databind.JsonNode;
import org.flowmon.deploy.command.CommandException;

/** Why a server does not answer a request ({@code docs/rest.md}). */
public final class ServerProblem extends CommandException {
  private static final long serialVersionUID = 1L;

  private final String code;
  private final int position;

  ServerProblem(String message, String code, int position) {
    super(message);
    this.code = code;
    this.position = position;
  }

  /** Of {@code application/problem+json}. */
  static ServerProblem of(JsonNode problem, String server) {
    String code = problem.path("code").asText();
    String detail = problem.path("detail").asText();
    String message =
        switch (code) {
          case "bad_request", "bad_query", "time_limit", "too_many_rows", "too_much_memory" ->
              detail;
          case "unauthorized" ->
              server
                  + " wants a token: --token-file FILE names a file with it, "
                  + ServerOption.TOKEN
                  + " is the token itself";
          default -> server + " refuses: " + detail;
        };
    return new ServerProblem(message, code, problem.path("position").asInt(-1));
  }

  /** Whether the request is wrong: another server would refuse it, too. */
  public boolean isOfRequest() {
    return code.equals("bad_request");
  }

  public boolean isOfQuery() {
    return code.equals("bad_query");
  }

  /** The place in the query; -1 without one. */
  public int position() {
    return position;
  }
}
