package org.flowmon.deploy.serve.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.util.URIUtil;
import org.flowmon.deploy.serve.access.Role;
import org.flowmon.deploy.serve.lane.Lane;

/**
 * Requests that one endpoint answers.
 *
 * @param path as in the contract, with parameters in braces
 * @param role who may ask at least; empty: everybody, without a token
 */
public record Route(String method, String path, Optional<Role> role, Lane lane, Endpoint endpoint) {
  public static Route get(String path, Lane lane, Endpoint endpoint) {
    return new Route("GET", path, Optional.of(Role.READ), lane, endpoint);
  }

  public static Route post(String path, Lane lane, Endpoint endpoint) {
    return new Route("POST", path, Optional.of(Role.READ), lane, endpoint);
  }

  public Route forRole(Role least) {
    return new Route(method, path, Optional.of(least), lane, endpoint);
  }

  public Route forEverybody() {
    return new Route(method, path, Optional.empty(), lane, endpoint);
  }

  /** The path's parameters, if it fits. */
  Optional<Map<String, String>> match(List<String> segments) {
    List<String> own = segments(path);
    if (own.size() != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i < own.size(); i++) {
      String expected = own.get(i);
      if (expected.startsWith("{")) {
        parameters.put(expected.substring(1, expected.length() - 1), decoded(segments.get(i)));
      } else if (!expected.equals(segments.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(parameters);
  }

  private static String decoded(String segment) {
    try {
      return URIUtil.decodePath(segment);
    } catch (IllegalArgumentException e) {
      throw Problem.badRequest("the path of the URL is no text in UTF-8");
    }
  }

  static List<String> segments(String path) {
    return List.of(path.substring(1).split("/", -1));
  }
}
