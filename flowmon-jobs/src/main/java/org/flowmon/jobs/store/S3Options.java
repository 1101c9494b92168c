package org.flowmon.jobs.store;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.flowmon.archive.store.StoreSettings;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a bucket. Missing options come from the AWS SDK's sources: environment, system
 * properties, profile, instance role.
 *
 * @param endpoint of a service that is not AWS's
 * @param pathStyle whether the bucket is part of the path, not of the host's name
 * @param secretFile its first line is the secret of {@code accessKey}
 * @param attempts of a request, the first included
 * @param timeout of an attempt, to which large files add a second for each MiB
 */
record S3Options(
    @Nullable URI endpoint,
    @Nullable String region,
    boolean pathStyle,
    @Nullable String profile,
    @Nullable String accessKey,
    @Nullable Path secretFile,
    int attempts,
    Duration timeout) {

  static S3Options of(StoreSettings settings) throws IOException {
    String endpoint = settings.text("endpoint");
    String accessKey = settings.text("access_key");
    String secretFile = settings.text("secret_key_file");
    if ((accessKey == null) != (secretFile == null)) {
      throw settings.error("access_key", "to be given together with secret_key_file");
    }
    return new S3Options(
        endpoint == null ? null : endpoint(settings, endpoint),
        settings.text("region"),
        settings.bool("path_style", endpoint != null),
        settings.text("profile"),
        accessKey,
        secretFile == null ? null : Path.of(secretFile),
        (int) settings.number("attempts", 1, 100, 4),
        Duration.ofSeconds(settings.number("timeout_seconds", 1, 3600, 20)));
  }

  private static URI endpoint(StoreSettings settings, String text) throws IOException {
    try {
      URI uri = URI.create(text);
      if (uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getScheme().matches("https?")) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw settings.error("endpoint", "http://host:port or https://host");
    }
    throw settings.error("endpoint", "http://host:port or https://host");
  }

  /** Read when needed, and not stored. */
  String secret() throws IOException {
    Path file = Objects.requireNonNull(secretFile, "an access key comes with a secret");
    try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
      return lines.findFirst().orElse("").strip();
    }
  }

  /** Omits credentials. */
  @Override
  public String toString() {
    return "S3Options[endpoint=" + endpoint + ", region=" + region + "]";
  }
}
