package org.flowmon.jobs.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** S3Proxy as a child process: it checks signatures, and refuses a second If-None-Match: *. */
public final class S3Server implements AutoCloseable {
  public static final String BUCKET = "flows";
  private static final String ACCESS_KEY = "a-key";
  private static final String SECRET = "a-secret";

  private final Path directory;
  private final Process process;
  private final int port;

  public S3Server(Path directory) throws IOException {
    this(directory, true);
  }

  S3Server(Path directory, boolean signed) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.port = EmbeddedKafka.freePort();
    Path data = Files.createDirectories(directory.resolve("data"));
    Path config = directory.resolve("s3proxy.conf");
    Files.writeString(
        config,
        """
        s3proxy.endpoint=http://127.0.0.1:%d
        s3proxy.authorization=%s
        s3proxy.identity=%s
        s3proxy.credential=%s
        jclouds.provider=filesystem-nio2
        jclouds.filesystem.basedir=%s
        """
            .formatted(port, signed ? "aws-v2-or-v4" : "none", ACCESS_KEY, SECRET, data));
    Files.writeString(secretFile(), SECRET + "\n");
    this.process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-jar",
                Path.of("target", "s3proxy", "s3proxy.jar").toAbsolutePath().toString(),
                "--properties",
                config.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("s3proxy.log").toFile())
            .start();
    await();
    makeBucket();
  }

  private void await() throws IOException {
    for (int i = 0; i < 600; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException e) {
        if (!process.isAlive()) {
          break;
        }
        sleep();
      }
    }
    close();
    throw new IOException(
        "S3Proxy did not start: " + Files.readString(directory.resolve("s3proxy.log")));
  }

  private static void sleep() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void makeBucket() {
    try (S3Client client = client()) {
      client.createBucket(b -> b.bucket(BUCKET));
    }
  }

  /** Returns a client of its own, like another program's. */
  S3Client client() {
    return S3Client.builder()
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .region(Region.US_EAST_1)
        .endpointOverride(URI.create("http://127.0.0.1:" + port))
        .forcePathStyle(true)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET)))
        .build();
  }

  int port() {
    return port;
  }

  private Path secretFile() {
    return directory.resolve("secret");
  }

  /** Returns the settings of a host of this name. */
  public Map<String, String> settings(String host) {
    return settings(host, port);
  }

  /** Returns the settings of a host through another port, such as a link's. */
  Map<String, String> settings(String host, int through) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("endpoint", "http://127.0.0.1:" + through);
    settings.put("access_key", ACCESS_KEY);
    settings.put("secret_key_file", secretFile().toString());
    settings.put("cache_directory", directory.resolve(host).toString());
    settings.put("grace_seconds", "1");
    return settings;
  }

  /** Returns an archive as seen from a host of this name. */
  public ArchiveLocation archive(String name, String host) {
    return ArchiveLocation.parse("s3://" + BUCKET + "/" + name, settings(host));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
