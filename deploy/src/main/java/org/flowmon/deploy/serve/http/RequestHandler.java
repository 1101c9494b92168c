package org.flowmon.deploy.serve.http;

import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.flowmon.deploy.serve.access.Caller;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.lane.Lanes;

/** Takes all requests: checks who asks, reads the body and hands the rest to a lane. */
final class RequestHandler extends Handler.Abstract.NonBlocking {
  private final List<Route> routes;
  private final StaticFiles files;
  private final Tokens tokens;
  private final RequestGuard guard;
  private final Lanes lanes;
  private final AuditLog audit;
  private final ClientWatch watch;

  RequestHandler(
      List<Route> routes,
      StaticFiles files,
      Tokens tokens,
      RequestGuard guard,
      Lanes lanes,
      AuditLog audit,
      ClientWatch watch) {
    this.routes = List.copyOf(routes);
    this.files = files;
    this.tokens = tokens;
    this.guard = guard;
    this.lanes = lanes;
    this.audit = audit;
    this.watch = watch;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    SecurityHeaders.all(response, request.isSecure());
    try {
      guard.check(request);
      String path = Request.getPathInContext(request);
      boolean isFile =
          !path.startsWith("/api/") && !Problems.isCatalog(path) && !path.equals("/metrics");
      if (!isFile) {
        answer(path, request, response, callback);
      } else if (!files.answer(request, response, callback)) {
        throw Problem.notFound("there is no " + request.getMethod() + " " + path);
      }
    } catch (RuntimeException e) {
      refuse(e, request, response, callback);
    }
    return true;
  }

  private void refuse(Throwable why, Request request, Response response, Callback callback) {
    Problem problem = Problems.of(why, Optional.empty());
    if (problem.code() == Problem.Code.UNAUTHORIZED) {
      response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
    }
    audit.write(
        Map.of(
            "time", Instant.now().toString(),
            "client", Request.getRemoteAddr(request),
            "method", request.getMethod(),
            "path", Request.getPathInContext(request),
            "status", problem.code().status(),
            "code", problem.code().toString(),
            "detail", problem.detail()));
    RequestBody.discard(request, () -> Exchange.write(problem, response, callback));
  }

  private void answer(String path, Request request, Response response, Callback callback) {
    List<String> segments = Route.segments(path);
    List<String> methods = new ArrayList<>();
    for (Route route : routes) {
      Optional<Map<String, String>> parameters = route.match(segments);
      if (parameters.isPresent()) {
        if (route.method().equals(request.getMethod())) {
          answer(route, parameters.get(), request, response, callback);
          return;
        }
        methods.add(route.method());
      }
    }
    boolean isWrite = !request.getMethod().equals("GET") && !request.getMethod().equals("HEAD");
    boolean isCatalogWrite = isWrite && Problems.isCatalog(path);
    if (methods.isEmpty() && !isCatalogWrite) {
      throw Problem.notFound("there is no " + path + "; /openapi.json lists what there is");
    }
    String allowed = String.join(", ", methods);
    response.getHeaders().put(HttpHeader.ALLOW, allowed);
    throw new Problem(
        Problem.Code.METHOD_NOT_ALLOWED,
        isCatalogWrite
            ? "the catalog is read-only: flows come into an archive by the job or flowmon import"
            : path + " takes no " + request.getMethod() + "; " + allowed);
  }

  private void answer(
      Route route,
      Map<String, String> parameters,
      Request request,
      Response response,
      Callback callback) {
    Caller caller = allowed(route, request);
    Fields fields = fields(parameters, request);
    boolean hasBody = request.getMethod().equals("POST") || request.getMethod().equals("PUT");
    if (!hasBody || request.getLength() == 0) {
      begin(route, caller, fields, new byte[0], request, response, callback);
      return;
    }
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    String plain = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (!plain.equals(Exchange.JSON)) {
      throw new Problem(
          Problem.Code.UNSUPPORTED_MEDIA_TYPE,
          "Content-Type is " + (type == null ? "missing" : type) + ": expected " + Exchange.JSON);
    }
    RequestBody.read(
        request,
        Exchange.MAX_BODY,
        new RequestBody.Taker() {
          @Override
          public void taken(byte[] body) {
            begin(route, caller, fields, body, request, response, callback);
          }

          @Override
          public void tooLarge() {
            refuse(RequestHandler.tooLarge(), request, response, callback);
          }

          @Override
          public void failed(Throwable why) {
            callback.failed(why); // the client has gone
          }
        });
  }

  private static Problem tooLarge() {
    return new Problem(
        Problem.Code.TOO_LARGE,
        "the body has more than the " + Exchange.MAX_BODY + " bytes that it may");
  }

  /** Who asks; throws a {@link Problem} if that caller may not. */
  private Caller allowed(Route route, Request request) {
    Optional<Caller> caller =
        tokens.caller(Optional.ofNullable(request.getHeaders().get(HttpHeader.AUTHORIZATION)));
    if (route.role().isEmpty()) {
      return caller.orElse(Caller.NOBODY);
    }
    if (caller.isEmpty()) {
      throw new Problem(
          Problem.Code.UNAUTHORIZED, "a token is needed: Authorization: Bearer TOKEN");
    }
    if (!caller.get().role().includes(route.role().get())) {
      throw new Problem(
          Problem.Code.FORBIDDEN,
          caller.get().role()
              + " may not "
              + route.method()
              + " "
              + route.path()
              + "; expected the role "
              + route.role().get());
    }
    return caller.get();
  }

  private static Fields fields(Map<String, String> parameters, Request request) {
    try {
      return new Fields(parameters, Request.extractQueryParameters(request));
    } catch (IllegalArgumentException | HttpException.RuntimeException e) {
      throw Problem.badRequest("the query of the URL is no text in UTF-8");
    }
  }

  private void begin(
      Route route,
      Caller caller,
      Fields fields,
      byte[] body,
      Request request,
      Response response,
      Callback callback) {
    Exchange exchange =
        new Exchange(request, response, callback, lanes, audit, caller, route, fields, body);
    channel(request)
        .ifPresent(
            channel -> exchange.watch(watch.watch(channel, request.isSecure(), exchange::gone)));
    try {
      exchange.submit(route.lane(), route.endpoint());
    } catch (RuntimeException e) {
      exchange.problem(Problems.of(e, Optional.empty()));
    }
  }

  /** The connection below TLS, if there is any. */
  private static Optional<SocketChannel> channel(Request request) {
    Object at = request.getConnectionMetaData().getConnection().getEndPoint();
    while (at instanceof EndPoint endPoint) {
      at = endPoint.getTransport();
    }
    return at instanceof SocketChannel channel ? Optional.of(channel) : Optional.empty();
  }
}
