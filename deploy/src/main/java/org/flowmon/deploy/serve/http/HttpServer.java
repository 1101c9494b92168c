package org.flowmon.deploy.serve.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.compression.gzip.GzipCompression;
import org.eclipse.jetty.compression.server.CompressionConfig;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.lane.Lanes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens and answers. Its threads only move bytes, so that a few serve thousands of connections;
 * the work is done in {@link Lanes}.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final int THREADS = 24;
  private static final int CONNECTIONS = 20_000;
  private static final int IDLE_MILLIS = 5 * 60 * 1000;
  private static final int WAITING_CONNECTIONS = 1024;
  private static final int HEADER_BYTES = 16 << 10;

  /**
   * What a server is started with.
   *
   * @param names that it has, beside localhost
   * @param tls empty for plain HTTP
   */
  public record Settings(
      InetSocketAddress address,
      List<String> names,
      Tokens tokens,
      Optional<SSLContext> tls,
      AuditLog audit) {}

  private final Server server;
  private final ServerConnector connector;
  private final ClientWatch watch;

  private HttpServer(Server server, ServerConnector connector, ClientWatch watch) {
    this.server = server;
    this.connector = connector;
    this.watch = watch;
  }

  /** Throws {@link IOException} if the address cannot be had. */
  public static HttpServer start(Settings settings, List<Route> routes, Lanes lanes)
      throws IOException {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 4);
    threads.setName("serve-http");
    threads.setDaemon(true);
    Server server = new Server(threads);
    ServerConnector connector = connector(server, settings.tls());
    connector.setHost(settings.address().getAddress().getHostAddress());
    connector.setPort(settings.address().getPort());
    connector.setAcceptQueueSize(WAITING_CONNECTIONS);
    connector.setIdleTimeout(IDLE_MILLIS);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(CONNECTIONS, connector));
    ClientWatch watch = new ClientWatch();
    server.setHandler(
        compressed(
            new RequestHandler(
                routes,
                new StaticFiles(Contract.read()),
                settings.tokens(),
                new RequestGuard(settings.names()),
                lanes,
                settings.audit(),
                watch)));
    server.setErrorHandler(
        (request, response, callback) -> {
          if (request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof Throwable failure) {
            LOG.error("a request failed before it was read", failure);
          }
          SecurityHeaders.all(response, request.isSecure());
          Exchange.write(refused(request, response.getStatus()), response, callback);
          return true;
        });
    HttpServer started = new HttpServer(server, connector, watch);
    try {
      server.start();
    } catch (Exception e) {
      started.close();
      throw new IOException(
          "cannot listen on TCP " + settings.address() + ": " + e.getMessage(), e);
    }
    return started;
  }

  /** Answers are compressed for clients that ask for it; requests are never inflated. */
  private static Handler compressed(Handler handler) {
    GzipCompression gzip = new GzipCompression();
    gzip.setMinCompressSize(AnswerStream.CHUNK);
    CompressionHandler compressing = new CompressionHandler(handler);
    compressing.putCompression(gzip);
    compressing.putConfiguration(
        "/*",
        CompressionConfig.builder()
            .defaults()
            .compressIncludeMethod("POST")
            .decompressExcludePath("/*")
            .build());
    return compressing;
  }

  /** What is refused before a handler sees it. */
  private static Problem refused(Request request, int status) {
    if (Problems.isNestedNamespace(request.getHttpURI().getPath())) {
      return Problem.notFound("no namespace of the catalog has another in it");
    }
    return switch (status) {
      case 414, 431 -> new Problem(Problem.Code.TOO_LARGE, "the request's head is too large");
      case 500 ->
          new Problem(Problem.Code.INTERNAL, "a defect of flowmon: the server's log says more");
      default -> Problem.badRequest("the request is no HTTP that is taken here");
    };
  }

  private static ServerConnector connector(Server server, Optional<SSLContext> tls) {
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    configuration.setSendXPoweredBy(false);
    configuration.setRequestHeaderSize(HEADER_BYTES);
    // A table of headers takes 98 KB of each connection from its second request on.
    configuration.setHeaderCacheSize(0);
    HttpConnectionFactory http = new HttpConnectionFactory(configuration);
    if (tls.isEmpty()) {
      return new ServerConnector(server, 1, 1, http);
    }
    // The name of the host is for RequestGuard to check; addresses have none in a certificate.
    configuration.addCustomizer(new SecureRequestCustomizer(false));
    SslContextFactory.Server factory = new SslContextFactory.Server();
    factory.setSslContext(tls.get());
    factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    return new ServerConnector(
        server, 1, 1, new SslConnectionFactory(factory, http.getProtocol()), http);
  }

  /** The port that it listens on. */
  public int port() {
    return connector.getLocalPort();
  }

  public int connections() {
    return connector.getConnectedEndPoints().size();
  }

  @Override
  public void close() {
    try {
      server.stop();
      watch.close();
    } catch (Exception e) {
      throw new IllegalStateException("the server did not stop", e);
    }
  }
}
