package org.flowmon.deploy.serve.http;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.flowmon.flow.IpAddress;

/**
 * Refuses requests that a page of another site makes in a browser.
 *
 * <p>A name that somebody else's DNS lets point here (DNS rebinding) is no host of this server. An
 * address cannot be such a name. A request with an {@code Origin} comes from a page, which must be
 * of this server. Bodies are JSON: a page of another site cannot send it unasked, and is never
 * allowed to, as no answer has a header of CORS.
 */
final class RequestGuard {
  private final Set<String> names = new HashSet<>();

  /** {@code names}: of this server, beside localhost. */
  RequestGuard(List<String> names) {
    this.names.add("localhost");
    names.forEach(name -> this.names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Throws a {@link Problem}. */
  void check(Request request) {
    String host = Request.getServerName(request);
    if (host == null || !isOwn(host)) {
      throw new Problem(
          Problem.Code.WRONG_HOST,
          "this server is not '" + host + "'; --name adds names that it has");
    }
    Optional<String> site = header(request, "Sec-Fetch-Site");
    boolean isNavigation = header(request, "Sec-Fetch-Mode").equals(Optional.of("navigate"));
    boolean isOther =
        site.equals(Optional.of("cross-site")) || site.equals(Optional.of("same-site"));
    if (isOther && !(isNavigation && request.getMethod().equals("GET"))) {
      throw new Problem(Problem.Code.FORBIDDEN, "a page of another site may not ask this server");
    }
    Optional<String> origin = header(request, HttpHeader.ORIGIN.asString());
    if (origin.isPresent() && !isOrigin(origin.get(), request)) {
      throw new Problem(
          Problem.Code.FORBIDDEN, "a page of " + origin.get() + " may not ask this server");
    }
  }

  private static Optional<String> header(Request request, String name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  private boolean isOwn(String host) {
    String plain = host.replaceAll("[\\[\\]]", "").toLowerCase(Locale.ROOT);
    return names.contains(plain) || IpAddress.parseOrNull(plain) != null;
  }

  private static boolean isOrigin(String origin, Request request) {
    try {
      URI uri = URI.create(origin);
      String scheme = request.isSecure() ? "https" : "http";
      int otherwise = request.isSecure() ? 443 : 80;
      int port = uri.getPort() < 0 ? otherwise : uri.getPort();
      return scheme.equals(uri.getScheme())
          && uri.getHost() != null
          && uri.getHost().equalsIgnoreCase(Request.getServerName(request))
          && port == Request.getServerPort(request);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
