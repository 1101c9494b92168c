package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.HostAndPort;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.collect.ConnectionLimits;
import org.flowmon.ingest.collect.ServerTls;
import org.flowmon.ingest.collect.TcpCollector;
import picocli.CommandLine.Option;

/** Where a collector listens: UDP, TCP and TLS, with how many sockets and connections. */
final class ListenOption {
  /** Beyond it the decoders' shares of the limits would hold less than one exporter may take. */
  static final int MAX_SOCKETS = 8;

  /** An address, for messages. */
  static final String EXAMPLE = "0.0.0.0:2055";

  private static final int MAX_CONNECTIONS = 1024;

  @Option(
      names = "--listen",
      paramLabel = "[SCHEME://]HOST:PORT",
      defaultValue = "127.0.0.1:2055",
      split = ",",
      description =
          "Address to listen on; may be repeated. UDP, or for IPFIX tcp://HOST:PORT and"
              + " tls://HOST:PORT. Default ${DEFAULT-VALUE}: this machine only.")
  private List<String> listen;

  @Option(
      names = "--sockets",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description =
          "Sockets on each UDP address, up to 8, with a thread each; the kernel divides the"
              + " exporters among them. Default ${DEFAULT-VALUE}.")
  private int sockets;

  @Option(
      names = "--receive-buffer",
      paramLabel = "BYTES",
      defaultValue = "16777216",
      description = "Receive buffer of each UDP socket, in bytes; default ${DEFAULT-VALUE}.")
  private int receiveBuffer;

  @Option(
      names = "--connections",
      paramLabel = "NUMBER",
      defaultValue = "64",
      description =
          "The most connections by TCP at a time, as many by TLS, and as many handshakes of TLS; a"
              + " quarter of each from one address (one /64 of IPv6). Default ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The key of tls:// addresses, PEM (PKCS#8, not encrypted).")
  private Optional<Path> tlsKey = Optional.empty();

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Its certificate and those that signed it, PEM.")
  private Optional<Path> tlsCert = Optional.empty();

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description =
          "Certificates of authorities, PEM: only exporters with a certificate that one of them"
              + " signed are let in.")
  private Optional<Path> tlsCa = Optional.empty();

  // Parsed by check, once: names are looked up then.
  private final List<InetSocketAddress> udp = new ArrayList<>();
  private final List<TcpCollector.Listen> tcp = new ArrayList<>();

  /** Parses the addresses, with all checks that need no file; throws {@link UsageException}. */
  void check() {
    udp.clear();
    tcp.clear();
    listen.forEach(this::parse);
    if (sockets < 1 || sockets > MAX_SOCKETS) {
      throw new UsageException("--sockets " + sockets + ": expected 1 to " + MAX_SOCKETS);
    }
    if (connections < 1 || connections > MAX_CONNECTIONS) {
      throw new UsageException(
          "--connections " + connections + ": expected 1 to " + MAX_CONNECTIONS);
    }
    boolean hasTls = tcp.stream().anyMatch(TcpCollector.Listen::isTls);
    if (hasTls && (tlsKey.isEmpty() || tlsCert.isEmpty())) {
      throw new UsageException("--listen tls://…: add --tls-key FILE and --tls-cert FILE");
    }
    if (!hasTls && !tlsFiles().isEmpty()) {
      throw new UsageException("--tls-…: add --listen tls://HOST:PORT, which they are for");
    }
  }

  private void parse(String place) {
    int end = place.indexOf("://");
    String scheme = end < 0 ? "udp" : place.substring(0, end);
    String address = end < 0 ? place : place.substring(end + 3);
    switch (scheme) {
      case "udp" -> udp.add(HostAndPort.parse("--listen", address, EXAMPLE));
      case "tcp", "tls" ->
          tcp.add(
              new TcpCollector.Listen(
                  HostAndPort.parse("--listen", address, EXAMPLE), scheme.equals("tls")));
      default ->
          throw new UsageException("--listen " + place + ": expected udp://, tcp:// or tls://");
    }
  }

  /** UDP addresses, after {@link #check}. */
  List<InetSocketAddress> udp() {
    return List.copyOf(udp);
  }

  /** Addresses of TCP and TLS, after {@link #check}. */
  List<TcpCollector.Listen> tcp() {
    return List.copyOf(tcp);
  }

  /** Threads that receive UDP. */
  int lanes() {
    return udp.isEmpty() ? 0 : sockets;
  }

  /** Publishers: one for each of these threads, and one for all connections. */
  int publishers() {
    return lanes() + (tcp.isEmpty() ? 0 : 1);
  }

  int receiveBuffer() {
    return receiveBuffer;
  }

  ConnectionLimits limits() {
    return ConnectionLimits.of(connections);
  }

  List<Path> tlsFiles() {
    return Stream.of(tlsKey, tlsCert, tlsCa).flatMap(Optional::stream).toList();
  }

  /** The files of TLS, if they are needed; throws {@link IOException} naming the wrong one. */
  ServerTls readTls() throws IOException {
    return ServerTls.read(tlsKey.orElseThrow(), tlsCert.orElseThrow(), tlsCa);
  }

  /** As {@link #readTls}, empty without TLS; throws {@link CommandException}. */
  Optional<ServerTls> tls() {
    try {
      return tlsFiles().isEmpty() ? Optional.empty() : Optional.of(readTls());
    } catch (IOException e) {
      throw new CommandException("--tls-…: " + e.getMessage());
    }
  }
}
