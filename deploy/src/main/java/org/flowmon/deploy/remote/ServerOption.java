package org.flowmon.deploy.remote;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.flowmon.deploy.command.HttpUrl;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.TokenFile;
import picocli.CommandLine.Option;

/** {@code --server URL} in place of an archive, with the token that it wants. */
public final class ServerOption {
  /** Environment variables: the URL if neither option is given, and the token. */
  public static final String SERVER = "FLOWMON_SERVER";

  public static final String TOKEN = "FLOWMON_TOKEN";

  private static final String EXAMPLE = "http://127.0.0.1:8060";

  @Option(
      names = "--server",
      required = true,
      paramLabel = "URL",
      description =
          "Ask a running flowmon serve, for example "
              + EXAMPLE
              + ", in place of opening an archive. "
              + SERVER
              + " in the environment stands for it if no archive is named.")
  private String url;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "The file whose first line is the token for the server; without it "
              + TOKEN
              + " of the environment is sent, if set.")
  private Optional<Path> tokenFile = Optional.empty();

  /** For picocli. */
  public ServerOption() {
    this("");
  }

  private ServerOption(String url) {
    this.url = url;
  }

  /** The server of the environment. */
  public static Optional<ServerOption> ofEnvironment() {
    String url = System.getenv(SERVER);
    return url == null || url.isBlank() ? Optional.empty() : Optional.of(new ServerOption(url));
  }

  public ServerClient client() {
    URI place = HttpUrl.parse("--server", url, EXAMPLE);
    if (place.getUserInfo() != null) {
      throw new UsageException("--server " + url + ": expected a URL as " + EXAMPLE);
    }
    Optional<String> token =
        tokenFile
            .map(TokenFile::read)
            .or(() -> Optional.ofNullable(System.getenv(TOKEN)).filter(text -> !text.isBlank()));
    if (token.isPresent() && !place.getScheme().equals("https") && !isLoopback(place.getHost())) {
      throw new UsageException(
          "--server " + url + ": a token goes over https only, or to this machine");
    }
    return new ServerClient(place, token.map(String::strip));
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d+){3}");
  }
}
